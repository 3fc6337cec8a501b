// network_run.js - a run of the network: flits in buffers, cycle by cycle, from the lines of its
// trace.
//
// A line may tell of many cycles, so all lines are unpacked at once and become lists sorted by
// cycle: a flit enters a part (a worm in a buffer at a node), a flit leaves it. Where a worm
// branches, the first branch says when a flit leaves.

const CREATED = 0, STARTS = 1, HEADER = 2, FLITS = 3, INJECTED = 4, ABSORBED = 5;
const LINE_FIELDS = [3, 4, 5, 6, 5, 5], NETWORK_FIELDS = 6;
const MOST_MOVES = 1 << 24; // flits over links and ports that a page keeps

class NetworkRun {
  static async make(found) {
    const run = new NetworkRun();
    run.facts = found.facts;
    run.unit = 'cycle';
    run.beginText = 'created, cycle';
    run.set = await unpackSet(found.set, found.facts);
    run.missing = await unpackMissing(found.missing);
    run.readHeader(found.trace);
    run.items = await unpackItems(found.items, run.nodes);
    run.steps = found.facts.steps;
    run.phases = [];
    run.deadlock = readDeadlock(found.notes);
    await run.readLines(found.lines);
    run.flits = new Uint32Array(run.nodes); // in the buffers of a node, now
    run.peak = new Uint32Array(run.nodes);
    run.out = new Uint32Array(run.nodes); // flits sent over links so far
    run.time = -1;
    run.at = 0;
    run.moves = [];
    return run;
  }

  get shows() {
    return [
      { name: 'flits', text: 'flits now', unit: 'flits in a node\u2019s buffers', values: this.flits, most: () => this.mostFlits },
      { name: 'peak', text: 'fullest so far', unit: 'flits in a node\u2019s buffers', values: this.peak, most: () => this.mostFlits },
      { name: 'links', text: 'links so far', unit: 'flits sent by a node', values: this.out, most: () => this.mostOut() },
      ...(this.items ? [this.items.show] : []),
    ];
  }

  // Draws more than two dimensions as a table of planes: even dimensions run across, odd ones down.
  readHeader(header) {
    const [kind, sizes] = header.split(' ')[2].split(':');
    this.topology = kind;
    this.sizes = sizes.split('x').map(Number).reverse(); // dimension 0 is the fastest
    this.nodes = this.sizes.reduce((product, size) => product * size, 1);
    if (!(this.nodes <= 2 ** 26)) throw damaged();
    if (kind === 'graph') this.sizes = [Math.ceil(Math.sqrt(this.nodes)), Math.ceil(this.nodes / Math.ceil(Math.sqrt(this.nodes)))];
    this.stride = [];
    let across = 1, down = 1;
    this.sizes.forEach((size, i) => {
      const length = i % 2 === 0 ? across : down;
      this.stride.push(i < 2 ? length : length + 1);
      if (i % 2 === 0) across = this.stride[i] * (size - 1) + across;
      else down = this.stride[i] * (size - 1) + down;
    });
    this.cols = across;
    this.rows = down;
    this.isFolded = this.sizes.length > 2 || kind === 'graph';
    this.cell = new Int32Array(this.cols * this.rows).fill(-1);
    this.placeOf = new Uint32Array(this.nodes);
    for (let v = 0; v < this.nodes; v++) {
      let rest = v, col = 0, row = 0;
      this.sizes.forEach((size, i) => {
        const coordinate = rest % size;
        rest = Math.floor(rest / size);
        if (i % 2 === 0) col += coordinate * this.stride[i];
        else row += coordinate * this.stride[i];
      });
      this.placeOf[v] = row * this.cols + col;
      this.cell[this.placeOf[v]] = v;
    }
  }
  place(node) {
    return [this.placeOf[node] % this.cols, Math.floor(this.placeOf[node] / this.cols)];
  }
  nodeAt(col, row) {
    return this.cell[row * this.cols + col];
  }

  async readLines(blocks) {
    const parts = new Map(); // "message worm node": a part
    const part = (message, worm, node) => {
      const name = `${message} ${worm} ${node}`;
      if (!parts.has(name)) {
        parts.set(name, this.partNode.length);
        this.partNode.push(node);
        this.partMessage.push(message);
        this.partWorm.push(worm);
        leader.push(-1);
      }
      return parts.get(name);
    };
    this.partNode = [];
    this.partMessage = [];
    this.partWorm = [];
    this.created = new Map(); // message: { source, cycle, flits }
    this.absorbed = []; // deliveries: { message, node, last }
    this.hops = []; // headers: { cycle, message, worm, from, to, vc }
    const leader = []; // of a part: the output whose flits say when they leave
    const cycles = [], from = [], to = [];
    const output = new Map(), taken = new Map(); // flits that a node has taken of a message
    // Flits go from one part (or from outside, -1) to the next (or to the processor, -1).
    const move = (last, count, source, target, name) => {
      if (source >= 0 && leader[source] < 0) leader[source] = output.size;
      if (source >= 0 && !output.has(name)) output.set(name, output.size);
      const leaves = source >= 0 && output.get(name) === leader[source];
      if (cycles.length + count > MOST_MOVES) return void (this.isCut = true);
      for (let cycle = last - count + 1; cycle <= last; cycle++) {
        cycles.push(cycle);
        from.push(leaves ? source : -1);
        to.push(target);
      }
    };
    for (const text of blocks) {
      const columns = await unpackBlock(text);
      const last = new Array(2 + 6 * NETWORK_FIELDS).fill(0);
      const take = (i) => (last[i] += columns[i].change());
      while (!columns[0].isDone) {
        const kind = columns[0].next(), cycle = take(1), field = [];
        for (let i = 0; i < LINE_FIELDS[kind]; i++) field.push(take(2 + kind * NETWORK_FIELDS + i));
        const [message, worm] = field;
        if (kind === CREATED) this.created.set(message, { source: worm, cycle, flits: field[2] });
        else if (kind === HEADER) {
          this.hops.push({ cycle, message, worm, from: field[2], to: field[3], vc: field[4] });
          move(cycle, 1, part(message, worm, field[2]), part(message, worm, field[3]), `${message} ${worm} ${field[2]} ${field[3]}`);
        } else if (kind === FLITS)
          move(cycle, field[5], part(message, worm, field[2]), part(message, worm, field[3]), `${message} ${worm} ${field[2]} ${field[3]}`);
        else if (kind === INJECTED) move(cycle, field[4], -1, part(message, worm, field[2]), '');
        else if (kind === ABSORBED) {
          move(cycle, field[4], part(message, worm, field[2]), -1, `${message} ${worm} ${field[2]} -`);
          const name = `${message} ${field[2]}`, flits = (taken.get(name) || 0) + field[4];
          taken.set(name, flits);
          if (flits === this.created.get(message).flits) this.absorbed.push({ message, node: field[2], last: cycle });
        }
      }
    }
    const order = Uint32Array.from(cycles.keys()).sort((a, b) => cycles[a] - cycles[b]);
    this.cycles = Float64Array.from(order, (i) => cycles[i]);
    this.from = Int32Array.from(order, (i) => from[i]);
    this.to = Int32Array.from(order, (i) => to[i]);
    this.measureTime();
  }

  measureTime() {
    const step = [], inside = [], busy = [], fullest = [], flits = new Uint32Array(this.nodes), holders = [this.nodes];
    this.mostFlits = 0;
    this.linkLoad = new Map();
    const put = (node, by) => {
      holders[flits[node]]--;
      flits[node] += by;
      holders[flits[node]] = (holders[flits[node]] || 0) + 1;
    };
    let now = 0, top = 0;
    for (let i = 0; i < this.cycles.length;) {
      const cycle = this.cycles[i];
      let links = 0;
      for (; i < this.cycles.length && this.cycles[i] === cycle; i++) {
        if (this.from[i] >= 0) put(this.partNode[this.from[i]], -1), now--;
        if (this.to[i] >= 0) {
          put(this.partNode[this.to[i]], 1);
          now++;
          top = Math.max(top, flits[this.partNode[this.to[i]]]);
        }
        if (this.from[i] >= 0 && this.to[i] >= 0) links++;
      }
      while (top > 0 && !holders[top]) top--;
      this.mostFlits = Math.max(this.mostFlits, top);
      step.push(cycle);
      inside.push(now);
      busy.push(links);
      fullest.push(top);
    }
    this.stepOf = Float64Array.from(step);
    this.series = [
      { name: 'flits in the network', colour: '--packets', values: Float64Array.from(inside), holds: true, fill: true },
      { name: 'busy links', colour: '--busy', values: Float64Array.from(busy), holds: false },
      { name: 'fullest node', colour: '--fullest', values: Float64Array.from(fullest), holds: true },
    ];
    const delivered = this.absorbed.map((each) => each.last).sort((a, b) => a - b);
    this.delivered = this.stepOf.map((cycle) => upperBound(delivered, cycle));
  }

  rowAt(step) {
    return upperBound(this.stepOf, step) - 1;
  }

  async reset() {
    for (const array of [this.flits, this.peak, this.out]) array.fill(0);
    this.time = -1;
    this.at = 0;
    this.moves = [];
  }

  async seek(step) {
    if (step < this.time) await this.reset();
    this.moves = [];
    while (this.at < this.cycles.length && this.cycles[this.at] <= step) {
      const begin = this.at, cycle = this.cycles[begin];
      for (; this.at < this.cycles.length && this.cycles[this.at] === cycle; this.at++) {
        const from = this.from[this.at], to = this.to[this.at];
        if (from >= 0) this.flits[this.partNode[from]]--;
        if (to >= 0) this.flits[this.partNode[to]]++;
        if (from >= 0 && to >= 0) this.out[this.partNode[from]]++;
      }
      for (let i = begin; i < this.at; i++) {
        const node = this.to[i] < 0 ? -1 : this.partNode[this.to[i]];
        if (node >= 0 && this.flits[node] > this.peak[node]) this.peak[node] = this.flits[node];
      }
    }
    for (let i = this.at - 1; i >= 0 && this.cycles[i] === step; i--)
      if (this.from[i] >= 0 && this.to[i] >= 0)
        this.moves.push([this.partNode[this.from[i]], this.partNode[this.to[i]], this.partMessage[this.to[i]]]);
    this.time = step;
  }

  get detailEnds() {
    return null;
  }
  mostOut() {
    if (this.mostOfOut === undefined) {
      const out = new Uint32Array(this.nodes);
      for (let i = 0; i < this.cycles.length; i++) if (this.from[i] >= 0 && this.to[i] >= 0) out[this.partNode[this.from[i]]]++;
      this.mostOfOut = out.reduce((most, value) => Math.max(most, value), 1);
    }
    return this.mostOfOut;
  }
  async measure() {
    this.mostOut();
  }

  destinations(message) {
    const i = this.messageIndex(message);
    return i < 0 ? [] : Array.from(this.set.destination.subarray(this.set.offset[i], this.set.offset[i + 1]));
  }
  chain(message) {
    return MachineRun.prototype.chain.call(this, message);
  }
  messageIndex(message) {
    return MachineRun.prototype.messageIndex.call(this, message);
  }
  // The worms with flits at a node, by message.
  packetsAt(node) {
    const held = new Map();
    for (let i = 0; i < this.at; i++) {
      const from = this.from[i], to = this.to[i];
      if (from >= 0 && this.partNode[from] === node) held.set(from, (held.get(from) || 0) - 1);
      if (to >= 0 && this.partNode[to] === node) held.set(to, (held.get(to) || 0) + 1);
    }
    return Array.from(held).filter(([, flits]) => flits > 0)
      .map(([part, flits]) => ({ message: this.partMessage[part], number: this.partWorm[part], flits, since: -1 }));
  }
  async follow(message) {
    const hops = this.hops.filter((hop) => hop.message === message).map((hop) => ({ step: hop.cycle, from: hop.from, to: hop.to, packet: hop.worm }));
    const deliveries = this.absorbed.filter((each) => each.message === message).map((each) => ({ step: each.last, node: each.node }));
    const waits = [];
    const came = new Map();
    for (const hop of hops) {
      const before = came.get(`${hop.packet} ${hop.from}`);
      if (before !== undefined && hop.step > before + 1) waits.push({ node: hop.from, steps: hop.step - before - 1, until: hop.step, number: hop.packet });
      came.set(`${hop.packet} ${hop.to}`, hop.step);
    }
    waits.sort((a, b) => b.steps - a.steps);
    const chain = this.chain(message), awaited = new Set(chain.before), times = new Map(), index = this.messageIndex(message);
    const { source, cycle } = this.created.get(message) || { source: index < 0 ? -1 : this.set.source[index], cycle: null };
    for (const each of this.absorbed) if (each.node === source && awaited.has(each.message)) times.set(each.message, each.last);
    for (const next of chain.after) if (this.created.has(next)) times.set(next, this.created.get(next).cycle);
    return { message, hops, deliveries, waits, source, ...chain, begins: cycle, times };
  }
  async historyOf(node) {
    const step = [], value = [];
    for (let i = 0, now = 0; i < this.cycles.length; i++) {
      const before = now;
      if (this.from[i] >= 0 && this.partNode[this.from[i]] === node) now--;
      if (this.to[i] >= 0 && this.partNode[this.to[i]] === node) now++;
      if (now === before) continue;
      if (step[step.length - 1] === this.cycles[i]) value[value.length - 1] = now;
      else {
        step.push(this.cycles[i]);
        value.push(now);
      }
    }
    return { step, value };
  }
  busiest(count) {
    const load = new Map();
    for (let i = 0; i < this.at; i++) {
      if (this.from[i] < 0 || this.to[i] < 0) continue;
      const link = this.partNode[this.from[i]] * this.nodes + this.partNode[this.to[i]];
      load.set(link, (load.get(link) || 0) + 1);
    }
    const links = Array.from(load).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, count)
      .map(([link, value]) => ({ text: `${Math.floor(link / this.nodes)} \u2192 ${link % this.nodes}`, node: Math.floor(link / this.nodes), value }));
    const nodes = topOf(this.peak, count).map(([node, value]) => ({ text: `${node}`, node, value }));
    return { links, nodes, linkUnit: 'flits so far', nodeUnit: 'most flits so far' };
  }
}

// Returns the number of sorted values that are at most `value`.
function upperBound(values, value) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// "deadlock MESSAGE WORM NODE": the headers of the cycle in order, each waits for the next.
function readDeadlock(notes) {
  return notes.map((note) => note.split(' ')).map(([, message, worm, node]) => ({ message: +message, worm: +worm, node: +node }));
}
