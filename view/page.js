// page.js - the page: one clock, the runs that follow it, the panels beside them, keys, and the
// address.

const SPEEDS = [1, 2, 5, 10, 20, 60, 120, 300, 1000];
const LISTED = 10;

const byId = (id) => document.getElementById(id);

class Page {
  constructor(runs) {
    this.runs = runs;
    this.steps = Math.max(...runs.map((run) => run.steps));
    this.time = 0;
    this.speed = 10;
    this.playing = false;
    this.busy = Promise.resolve();
    this.node = -1;
    this.message = -1;
    this.meshes = runs.map((run) => new MeshView(run, byId('meshes'), (node) => this.selectNode(node)));
    this.timelines = runs.map((run) => new TimelineView(run, byId('timelines'), this.steps, (step) => this.go(step)));
    this.prepareControls();
    this.fillFigures();
  }

  // ---- the clock

  // Brings all runs to a step; calls that come while one is under way wait for it, the last one
  // wins.
  go(step) {
    this.wanted = Math.min(this.steps, Math.max(0, Math.round(step)));
    this.busy = this.busy.then(async () => {
      if (this.wanted === this.time && this.isDrawn) return;
      const goal = this.wanted;
      for (const run of this.runs) await run.seek(Math.min(goal, run.steps));
      this.time = goal;
      this.isDrawn = true;
      this.draw();
    });
    return this.busy;
  }

  clockText(time) {
    return `${this.runs[0].unit} ${time.toLocaleString('en')} of ${this.steps.toLocaleString('en')}`;
  }

  draw() {
    this.meshes.forEach((mesh) => mesh.draw());
    this.timelines.forEach((timeline) => timeline.setTime(this.time));
    byId('slider').value = this.time;
    byId('now').textContent = this.clockText(this.time);
    const end = this.runs.find((run) => run.detailEnds !== null && this.time > run.detailEnds);
    this.say(end ? `After ${end.unit} ${end.detailEnds} this page keeps only sums: the mesh jumps from frame to frame, and messages are not followed.` : '', Boolean(end));
    if (!this.playing) this.settle();
  }

  // Updates the parts that are shown only when the clock stands still.
  settle() {
    this.fillBusiest();
    if (this.node >= 0) this.fillNode();
    if (this.message >= 0) this.fillMessage();
    this.writeAddress();
  }

  say(text, isWarning) {
    if (byId('status').textContent !== text) byId('status').textContent = text;
    byId('status').classList.toggle('warning', isWarning);
  }

  play(on) {
    if (on && this.time >= this.steps) this.go(0);
    this.playing = on;
    byId('play').querySelector('path').setAttribute('d', on ? 'M3 2h4v12H3zM9 2h4v12H9z' : 'M4 2v12l9-6z');
    byId('play').setAttribute('aria-label', on ? 'pause' : 'play');
    if (!on) return void this.settle();
    let last = performance.now(), owed = 0;
    const picture = async (now) => {
      if (!this.playing) return;
      owed += Math.min(0.25, (now - last) / 1000) * this.speed;
      last = now;
      const steps = Math.floor(owed);
      if (steps > 0) {
        owed -= steps;
        await this.go(this.time + steps);
        this.pictures = (this.pictures || 0) + 1;
      }
      if (this.time >= this.steps) this.play(false);
      else requestAnimationFrame(picture);
    };
    requestAnimationFrame(picture);
  }

  setSpeed(speed) {
    this.speed = speed;
    byId('speed').value = String(speed);
  }

  toPhase(by) {
    const phases = this.runs[0].phases;
    if (by > 0) {
      const next = phases.find((phase) => phase.first - 1 > this.time);
      return this.go(next ? next.first - 1 : this.steps);
    }
    const before = phases.filter((phase) => phase.first - 1 < this.time).pop();
    return this.go(before ? before.first - 1 : 0);
  }

  // Ends when nothing that was asked for is under way.
  async idle() {
    for (let asked = null, busy = null; asked !== this.asked || busy !== this.busy;) {
      asked = this.asked;
      busy = this.busy;
      await Promise.all([asked, busy]);
    }
  }

  // ---- the selection

  async setShow(name) {
    await Promise.all(this.runs.map((run) => (name === 'links' ? run.measure() : null)));
    this.show = name;
    byId('show').value = name;
    const shows = this.runs.map((run) => run.shows.find((show) => show.name === name) || run.shows[0]);
    this.meshes.forEach((mesh, i) => mesh.setShow(shows[i], Math.max(...shows.filter((show) => show.unit === shows[i].unit).map((show) => show.most()))));
    this.meshes.forEach((mesh) => mesh.draw());
    this.writeAddress();
  }

  selectNode(node) {
    return (this.asked = this.lookAtNode(node));
  }

  async lookAtNode(node) {
    this.node = node;
    this.meshes.forEach((mesh) => (mesh.node = node < mesh.run.nodes ? node : -1));
    byId('node-panel').hidden = node < 0;
    this.histories = null;
    this.draw();
    if (node < 0) return;
    this.histories = [];
    for (const run of this.runs) this.histories.push(node < run.nodes ? await run.historyOf(node, (part) => this.progress('node', part)) : null);
    this.say('', false);
    if (this.node === node) this.fillNode();
  }

  selectMessage(message) {
    return (this.asked = this.lookAtMessage(message));
  }

  async lookAtMessage(message) {
    this.message = message;
    byId('message-panel').hidden = message < 0;
    this.meshes.forEach((mesh) => (mesh.story = null));
    this.draw();
    if (message < 0) return;
    for (const mesh of this.meshes) {
      const story = await mesh.run.follow(message, (part) => this.progress('message', part));
      if (this.message !== message) return;
      mesh.story = { ...story, destinations: mesh.run.destinations(message) };
    }
    this.say('', false);
    this.draw();
  }

  progress(what, part) {
    if (part < 1) this.say(`looking for this ${what}: ${Math.round(part * 100)} %`, false);
  }

  // ---- panels

  name(i) {
    return this.runs.length > 1 ? `${this.runs[i].facts.title}: ` : '';
  }

  fillFigures() {
    const parts = this.runs.map((run) => {
      const rows = [[`${run.unit}s`, run.steps]];
      if (run.facts.lower_bound) rows.push(['lower bound', run.facts.lower_bound]);
      for (const [name, value] of Object.entries(run.facts.figures || {})) rows.push([name, value]);
      if (run.facts.messages !== null) rows.push(['messages', run.facts.messages], [run.facts.reduces ? 'contributions' : 'deliveries', run.facts.deliveries]);
      rows.push(['events', run.facts.events]);
      const deadlock = run.deadlock && run.deadlock.length > 0
        ? [['deadlock', `${run.deadlock.length} headers wait for one another`]] : [];
      return `<h2>${escapeText(run.facts.title)}</h2><dl>${[...deadlock, ...rows].map(([name, value]) => `<dt>${escapeText(name)}</dt><dd>${escapeText(textOf(value))}</dd>`).join('')}</dl>`;
    });
    byId('figures').innerHTML = parts.join('');
    byId('title').textContent = this.runs.map((run) => run.facts.title).join(' \u2014 ');
    byId('command').textContent = this.runs.map((run) => run.facts.command).filter(Boolean).join('  |  ');
  }

  fillBusiest() {
    const parts = this.runs.map((run, i) => {
      const { links, nodes, linkUnit, nodeUnit } = run.busiest(LISTED);
      const list = (rows) => rows.map((row) => `<tr><td><button class="jump" data-node="${row.node}">${row.text}</button></td><td>${row.value.toLocaleString('en')}</td></tr>`).join('') || '<tr><td>none yet</td><td></td></tr>';
      return `<h2>${escapeText(this.name(i))}busiest links</h2><table><tr><th>link</th><th>${linkUnit}</th></tr>${list(links)}</table>` +
        `<h2 style="margin-top:.6rem">${escapeText(this.name(i))}fullest nodes</h2><table><tr><th>node</th><th>${nodeUnit}</th></tr>${list(nodes)}</table>`;
    });
    this.fill(byId('busiest'), parts.join(''));
  }

  fillNode() {
    const node = this.node;
    const parts = this.runs.map((run, i) => {
      if (node >= run.nodes) return '';
      const packets = run.packetsAt(node);
      const rows = packets.slice(0, 50).map((packet) => `<tr><td><button class="jump" data-message="${packet.message}">${packet.message}</button></td><td>${packet.number}</td><td>${packet.flits !== undefined ? packet.flits : packet.since >= 0 ? this.time - packet.since : ''}</td></tr>`).join('');
      const items = run.items && run.items.on[node], sent = messagesFrom(run, node);
      const what = run.unit === 'cycle' ? ['worm', 'flits'] : ['packet', 'waits'];
      return `<h2>${escapeText(this.name(i))}node ${node}${run.isFolded ? '' : `, row ${run.place(node)[1]}, column ${run.place(node)[0]}`}</h2><canvas aria-label="what the node holds over time"></canvas>` +
        (rows ? `<table><tr><th>message</th><th>${what[0]}</th><th>${what[1]}</th></tr>${rows}</table>` : '<p style="margin:0">empty now</p>') +
        (packets.length > 50 ? `<p style="margin:0">and ${packets.length - 50} more</p>` : '') +
        (items ? `<p style="margin:0">lines of the part file: ${listOf(items, String)}</p>` : '') +
        (sent.length > 0 ? `<p style="margin:0">messages from here: ${listOf(sent, (message) => `<button class="jump" data-message="${message}">${message}</button>`)}</p>` : '');
    });
    this.fill(byId('node-panel'), parts.join(''));
    byId('node-panel').querySelectorAll('canvas').forEach((canvas, i) => this.histories && this.histories[i] && drawHistory(canvas, this.histories[i], this.steps, this.time));
    byId('find-node').value = node;
  }

  fillMessage() {
    const parts = this.meshes.map((mesh, i) => {
      const story = mesh.story;
      if (!story) return '';
      const hops = story.hops.filter((hop) => hop.step <= this.time).length, done = story.deliveries.filter((each) => each.step <= this.time);
      const waits = story.waits.slice(0, 8).map((wait) => `<tr><td><button class="jump" data-node="${wait.node}">${wait.node}</button></td><td>${wait.steps}</td><td><button class="jump" data-time="${wait.until - 1}">${wait.until}</button></td></tr>`).join('');
      const total = story.waits.reduce((sum, wait) => sum + wait.steps, 0), unit = mesh.run.unit;
      const last = story.deliveries.length > 0 ? Math.max(...story.deliveries.map((each) => each.step)) : null;
      const rows = [['source', story.source >= 0 ? story.source : '?'], [mesh.run.facts.reduces ? 'contributions that came in' : 'delivered', `${done.length} of ${story.destinations.length || story.deliveries.length}`],
        ['links crossed', `${hops} of ${story.hops.length}`], [mesh.run.facts.reduces ? `sum whole, ${unit}` : `last delivery, ${unit}`, last === null ? '\u2014' : last], [`${unit}s waited, all parts`, total]];
      if (mesh.run.set && (mesh.run.set.start || mesh.run.set.waits)) {
        rows.splice(1, 0, [mesh.run.beginText, story.begins]);
        if (story.before.length > 0 && story.delay > 0) rows.splice(2, 0, [`${unit}s after the last awaited`, story.delay]);
      }
      return `<h2>${escapeText(this.name(i))}message ${this.message}</h2><dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${textOf(value)}</dd>`).join('')}</dl>` +
        (waits ? `<h2 style="margin-top:.5rem">longest waits</h2><table><tr><th>node</th><th>${unit}s</th><th>until</th></tr>${waits}</table>` : '') +
        this.chainTable(mesh.run, story, story.before, 'before', 'waits for', 'here') + this.chainTable(mesh.run, story, story.after, 'after', 'is awaited by', 'begins');
    });
    this.fill(byId('message-panel'), parts.join('') || 'looking \u2026');
    byId('find-message').value = this.message;
  }

  // The messages beside a message in a chain of waits, with their sources.
  chainTable(run, story, messages, side, title, when) {
    if (messages.length === 0) return '';
    const rows = nearest(story, messages).map((message) => {
      const node = run.set.source[message], time = story.times.get(message);
      return `<tr><td><button class="jump" data-message="${message}">${message}</button></td><td><button class="jump" data-node="${node}">${node}</button></td>` +
        `<td>${time === undefined ? '\u2014' : `<button class="jump" data-time="${time}">${time}</button>`}</td></tr>`;
    }).join('');
    return `<h2 style="margin-top:.5rem"><i class="${side}"></i>${title}</h2><table><tr><th>message</th><th>source</th><th>${when}</th></tr>${rows}</table>` +
      (messages.length > LISTED ? `<p style="margin:0">and ${messages.length - LISTED} more</p>` : '');
  }

  // Goes along the chain: to the awaited message that came last, or to the first one that waits.
  toChain(side) {
    const story = this.meshes[0].story;
    if (story && story[side].length > 0) this.selectMessage(nearest(story, story[side])[0]);
  }

  // Fills a panel; a button of it that had the focus gives it to the one in the same place.
  fill(panel, html) {
    const hasFocus = panel.contains(document.activeElement);
    const at = Array.from(panel.querySelectorAll('button')).indexOf(document.activeElement);
    panel.innerHTML = html;
    this.listen(panel);
    const buttons = panel.querySelectorAll('button');
    if (hasFocus) (buttons[at] || buttons[0] || panel).focus();
  }

  listen(panel) {
    panel.querySelectorAll('button.jump').forEach((button) => button.addEventListener('click', () => {
      const { node, message, time } = button.dataset;
      if (node !== undefined) this.selectNode(Number(node));
      if (message !== undefined) this.selectMessage(Number(message));
      if (time !== undefined) this.go(Number(time));
    }));
  }

  // ---- controls

  prepareControls() {
    byId('slider').max = this.steps;
    byId('now').style.minWidth = `${this.clockText(this.steps).length + 1}ch`;
    byId('speed').innerHTML = SPEEDS.map((speed) => `<option value="${speed}">${speed} / s</option>`).join('');
    byId('show').innerHTML = this.runs[0].shows.map((show) => `<option value="${show.name}">${show.text}</option>`).join('');
    byId('slider').addEventListener('input', () => this.go(Number(byId('slider').value)));
    byId('speed').addEventListener('change', () => this.setSpeed(Number(byId('speed').value)));
    byId('show').addEventListener('change', () => this.setShow(byId('show').value));
    byId('play').addEventListener('click', () => this.play(!this.playing));
    byId('back').addEventListener('click', () => this.go(this.time - 1));
    byId('forward').addEventListener('click', () => this.go(this.time + 1));
    byId('help').addEventListener('click', () => byId('keys').showModal());
    const number = (input, most, take) => input.addEventListener('change', () => {
      const value = input.value.trim();
      if (value === '') take(-1);
      else if (/^\d+$/.test(value) && Number(value) < most) take(Number(value));
      else this.say(`expected a number below ${most}, not '${value}'`, true);
    });
    number(byId('find-node'), Math.max(...this.runs.map((run) => run.nodes)), (node) => this.selectNode(node));
    number(byId('find-message'), 2 ** 32, (message) => this.selectMessage(message));
    document.addEventListener('keydown', (event) => this.key(event));
    this.setSpeed(this.speed);
  }

  key(event) {
    const field = event.target.closest('input, select, button, dialog');
    if (byId('keys').open || event.altKey || event.metaKey || this.walk(event) || event.ctrlKey) return;
    const isOwn = field && (field.matches('dialog') || field.matches('select') || (field.matches('input') && field.type !== 'range') || (event.key === ' ' && field.matches('button')));
    if (isOwn && event.key !== '?') return;
    const by = event.shiftKey ? 10 : 1, at = SPEEDS.indexOf(this.speed);
    const actions = {
      ' ': () => this.play(!this.playing), ArrowLeft: () => this.go(this.time - by), ArrowRight: () => this.go(this.time + by),
      Home: () => this.go(0), End: () => this.go(this.steps), '[': () => this.toPhase(-1), ']': () => this.toPhase(1),
      '+': () => this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, at + 1)]), '-': () => this.setSpeed(SPEEDS[Math.max(0, at - 1)]),
      '<': () => this.toChain('before'), '>': () => this.toChain('after'), '?': () => byId('keys').showModal(),
      Escape: () => {
        this.selectNode(-1);
        this.selectMessage(-1);
      },
    };
    actions['='] = actions['+'];
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  // On the mesh, enter selects a node, control and an arrow its neighbour. Returns whether the key
  // was one of these.
  walk(event) {
    const mesh = this.meshes.find((each) => each.canvas === event.target), ways = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    const way = ways[event.key];
    if (!mesh || !(event.key === 'Enter' || (event.ctrlKey && way))) return false;
    event.preventDefault();
    if (this.node < 0 || this.node >= mesh.run.nodes || !way) this.selectNode(this.node < 0 ? 0 : this.node);
    else {
      const next = mesh.nextTo(this.node, ...way);
      if (next >= 0) this.selectNode(next);
    }
    return true;
  }

  // ---- the address

  writeAddress() {
    const parts = [`t=${this.time}`];
    if (this.node >= 0) parts.push(`node=${this.node}`);
    if (this.message >= 0) parts.push(`message=${this.message}`);
    if (this.show !== this.runs[0].shows[0].name) parts.push(`show=${this.show}`);
    const address = `#${parts.join('&')}`;
    if (address !== location.hash && !this.isTest) history.replaceState(null, '', address);
  }

  async readAddress() {
    const said = new URLSearchParams(location.hash.slice(1));
    const number = (name) => (/^\d+$/.test(said.get(name) || '') ? Number(said.get(name)) : -1);
    await this.setShow(this.runs[0].shows.some((show) => show.name === said.get('show')) ? said.get('show') : this.runs[0].shows[0].name);
    const isStuck = this.runs.some((run) => run.deadlock && run.deadlock.length > 0);
    await this.go(number('t') >= 0 ? number('t') : isStuck ? this.steps : 0);
    await this.selectNode(this.runs.some((run) => number('node') < run.nodes) ? number('node') : -1);
    await this.selectMessage(number('message'));
  }
}

function drawHistory(canvas, history, steps, time) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight, context = canvas.getContext('2d');
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const most = Math.max(1, largest(history.value)), x = (step) => (step / Math.max(1, steps)) * width, y = (value) => height - 1 - (value / most) * (height - 16);
  context.beginPath();
  context.moveTo(0, y(0));
  let value = 0;
  history.step.forEach((step, i) => {
    context.lineTo(x(step), y(value));
    context.lineTo(x(step), y((value = history.value[i])));
  });
  context.lineTo(x(steps), y(value));
  context.strokeStyle = pageColour('--packets');
  context.lineWidth = 1.5;
  context.stroke();
  context.fillStyle = pageColour('--accent');
  context.fillRect(x(time), 0, 1.5, height);
  context.fillStyle = pageColour('--faint');
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'top';
  context.fillText(`at most ${most}`, 2, 1);
}

// Returns the messages beside another in a chain to list: the last to come first of the awaited,
// else the first to begin.
function nearest(story, messages) {
  const sign = messages === story.before ? -1 : 1, time = (message) => (story.times.has(message) ? story.times.get(message) : Infinity);
  return [...messages].sort((a, b) => (time(a) === time(b) ? a - b : sign * (time(a) - time(b)))).slice(0, LISTED);
}

// The messages that start at a node, by their names in the trace.
function messagesFrom(run, node) {
  const found = [];
  if (run.set) run.set.source.forEach((source, i) => source === node && found.push(run.facts.named_by_source ? source : i));
  return found;
}

const listOf = (all, textOfOne) => all.slice(0, LISTED).map(textOfOne).join(', ') + (all.length > LISTED ? ` and ${all.length - LISTED} more` : '');
const escapeText = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const textOf = (value) => (typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 3 }) : value === null ? '\u2014' : String(value));

async function begin() {
  const texts = Array.from(document.querySelectorAll('script[type="application/meshcast-view"]'), (element) => element.textContent);
  const runs = [];
  for (const text of texts) {
    const found = readRunText(text);
    runs.push(await (found.facts.kind === 'network' ? NetworkRun : MachineRun).make(found));
  }
  if (location.hash === '#selftest') return selfTest(runs);
  const page = new Page(runs);
  globalThis.meshcastPage = page; // for tests
  await page.readAddress();
  page.isReady = true;
  addEventListener('hashchange', () => page.readAddress());
}

begin().catch((error) => {
  byId('status').textContent = `This page cannot be shown: ${error.message}`;
  byId('status').classList.add('warning');
});
