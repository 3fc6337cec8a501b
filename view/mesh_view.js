// mesh_view.js - the mesh of a run as a picture: a square per node, and if there is room the
// traffic on the links.
//
// Values become pixels of a picture of the mesh's own size, which the browser enlarges without
// smoothing: that costs the same for any size of the window. Overlays (a message, a node, a
// deadlock) are drawn on top.

const ROOM_FOR_LINKS = 12; // CSS pixels a node from which links are drawn
const ROOM_FOR_NUMBERS = 24;

class MeshView {
  constructor(run, parent, select) {
    this.run = run;
    this.figure = document.createElement('figure');
    this.figure.innerHTML = '<figcaption><strong></strong><span></span></figcaption><div class="mesh"><canvas tabindex="0" role="application"></canvas></div>' +
      '<div class="scale"><span class="least">0</span><canvas aria-hidden="true"></canvas><span class="most"></span><span class="unit"></span></div>';
    parent.append(this.figure);
    if (run.missing) this.listMissing();
    this.canvas = this.figure.querySelector('.mesh canvas');
    this.canvas.setAttribute('aria-label', `${run.facts.title}: ${run.nodes} nodes; enter selects one, control and arrows the one beside it`);
    this.scale = this.figure.querySelector('.scale canvas');
    this.figure.querySelector('strong').textContent = run.facts.title;
    this.figure.querySelector('strong').title = run.facts.title;
    this.caption = this.figure.querySelector('figcaption span');
    this.picture = document.createElement('canvas');
    this.picture.width = run.cols;
    this.picture.height = run.rows;
    this.image = new ImageData(run.cols, run.rows);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.colours = scalePixels();
    this.canvas.addEventListener('click', (event) => {
      const node = this.nodeUnder(event);
      if (node >= 0) select(node);
    });
    this.canvas.addEventListener('mousemove', (event) => this.tell(this.nodeUnder(event)));
    this.canvas.addEventListener('mouseleave', () => this.tell(-1));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.colours = scalePixels();
      this.draw();
    });
    this.show = run.shows[0];
    this.most = 1;
    this.node = -1;
    this.story = null;
  }

  listMissing() {
    const { nodes, links } = this.run.missing, legend = document.createElement('div');
    legend.className = 'legend';
    legend.textContent = `missing: nodes (crossed) ${nodes.length}, links of others (half a bar each way; dashes where they are apart) ${links.length}`;
    this.figure.append(legend);
    this.dead = new Set(nodes);
  }

  nodeUnder(event) {
    const box = this.canvas.getBoundingClientRect();
    const col = Math.floor((event.clientX - box.left - this.left) / this.cell), row = Math.floor((event.clientY - box.top - this.top) / this.cell);
    return col >= 0 && row >= 0 && col < this.run.cols && row < this.run.rows ? this.run.nodeAt(col, row) : -1;
  }

  // The next node in a direction of the picture; -1: there is none.
  nextTo(node, right, down) {
    const { cols, rows } = this.run;
    let [col, row] = this.run.place(node);
    do {
      col += right;
      row += down;
      if (col < 0 || row < 0 || col >= cols || row >= rows) return -1;
    } while (this.run.nodeAt(col, row) < 0);
    return this.run.nodeAt(col, row);
  }

  tell(node) {
    if (node < 0) return void (this.caption.textContent = '');
    const [col, row] = this.run.place(node);
    this.caption.textContent = `node ${node}${this.run.isFolded ? '' : ` (row ${row}, column ${col})`}: ${this.dead && this.dead.has(node) ? 'missing' : this.show.values[node]}`;
  }

  // `show` is a member of run.shows; `most` the largest value of the scale, which runs of one kind
  // share.
  setShow(show, most) {
    this.show = show;
    this.most = most;
    this.figure.querySelector('.unit').textContent = show.unit;
    this.figure.querySelector('.most').textContent = most.toLocaleString('en');
  }

  paint() {
    const { pixels, colours } = this, values = this.show.values, most = Math.max(1, this.most);
    const factor = (SCALE_STEPS - 1) / most, isPlain = this.run instanceof MachineRun;
    if (isPlain) for (let v = 0; v < values.length; v++) pixels[v] = colours[Math.min(255, Math.ceil(values[v] * factor))];
    else {
      pixels.fill(0);
      for (let v = 0; v < values.length; v++) pixels[this.run.placeOf[v]] = colours[Math.min(255, Math.ceil(values[v] * factor))];
    }
    this.picture.getContext('2d').putImageData(this.image, 0, 0);
  }

  draw() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, ratio = devicePixelRatio || 1;
    if (width === 0 || height === 0) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const { cols, rows } = this.run;
    let cell = Math.min(width / cols, height / rows, 96);
    if (cell > 1) cell = Math.floor(cell * ratio) / ratio;
    this.cell = cell;
    this.left = Math.floor((width - cols * cell) / 2);
    this.top = Math.floor((height - rows * cell) / 2);
    this.paint();
    const context = this.canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.imageSmoothingEnabled = cell < 1;
    context.drawImage(this.picture, this.left, this.top, cols * cell, rows * cell);
    context.strokeStyle = pageColour('--line');
    context.lineWidth = 1;
    context.strokeRect(this.left - 0.5, this.top - 0.5, cols * cell + 1, rows * cell + 1);
    if (cell >= ROOM_FOR_LINKS) this.drawGrid(context);
    if (this.run.missing) this.drawMissing(context);
    if (cell >= ROOM_FOR_LINKS) this.drawMoves(context);
    if (this.story) this.drawStory(context);
    if (this.node >= 0) this.drawNode(context, this.node, pageColour('--accent'));
    if (this.run.deadlock && this.run.deadlock.length > 0 && this.run.time >= this.run.steps - 1) this.drawDeadlock(context);
    this.drawScale();
  }

  middle(node) {
    const [col, row] = this.run.place(node);
    return [this.left + (col + 0.5) * this.cell, this.top + (row + 0.5) * this.cell];
  }

  drawGrid(context) {
    const { cell, left, top } = this, { cols, rows } = this.run;
    context.strokeStyle = pageColour('--ground');
    context.lineWidth = Math.max(1, cell / 12);
    context.beginPath();
    for (let col = 1; col < cols; col++) context.moveTo(left + col * cell, top), context.lineTo(left + col * cell, top + rows * cell);
    for (let row = 1; row < rows; row++) context.moveTo(left, top + row * cell), context.lineTo(left + cols * cell, top + row * cell);
    context.stroke();
    if (cell < ROOM_FOR_NUMBERS) return;
    context.font = `${Math.min(14, cell / 2.6)}px system-ui, sans-serif`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    const most = Math.max(1, this.most);
    for (let v = 0; v < this.run.nodes; v++) {
      const value = this.show.values[v];
      if (value === 0) continue;
      context.fillStyle = value / most > 0.45 !== isDark() ? '#ffffff' : '#101216';
      context.fillText(String(value), ...this.middle(v));
    }
  }

  // Dead nodes are empty and crossed. A missing link is a bar over its half of the edge between two
  // squares, on the side of its arrows; dashes join nodes that the picture has apart.
  drawMissing(context) {
    const half = this.cell / 2;
    context.fillStyle = pageColour('--paper');
    context.strokeStyle = pageColour('--faint');
    context.lineWidth = Math.max(1, this.cell / 12);
    context.beginPath();
    for (const node of this.run.missing.nodes) {
      const [x, y] = this.middle(node), arm = half * 0.6;
      context.fillRect(x - half, y - half, this.cell, this.cell);
      context.moveTo(x - arm, y - arm), context.lineTo(x + arm, y + arm);
      context.moveTo(x - arm, y + arm), context.lineTo(x + arm, y - arm);
    }
    context.stroke();
    for (const [from, to] of this.run.missing.links) {
      const [x, y] = this.middle(from), [u, v] = this.middle(to), isBeside = Math.hypot(u - x, v - y) < 1.5 * this.cell;
      const middleX = (x + u) / 2, middleY = (y + v) / 2;
      context.lineWidth = isBeside ? Math.max(1, this.cell / 6) : 1;
      context.setLineDash(isBeside ? [] : [4, 4]);
      context.beginPath();
      context.moveTo(...(isBeside ? [middleX, middleY] : [x, y]));
      context.lineTo(...(isBeside ? [middleX - (v - y) / 2, middleY + (u - x) / 2] : [u, v]));
      context.stroke();
    }
    context.setLineDash([]);
  }

  // An arrow over each link that was crossed in this step, in the colour of its message.
  drawMoves(context) {
    for (const [link, second, third] of this.run.moves) {
      const isMachine = this.run instanceof MachineRun;
      const from = isMachine ? link >> 2 : link, to = isMachine ? this.run.neighbour(link) : second;
      this.drawArrow(context, from, to, messageColour(isMachine ? second : third), Math.max(1.5, this.cell / 9));
    }
  }

  drawArrow(context, from, to, colour, width) {
    const [x, y] = this.middle(from), [u, v] = this.middle(to), length = Math.hypot(u - x, v - y) || 1;
    const dx = (u - x) / length, dy = (v - y) / length, side = width * 0.9;
    // each direction of a link keeps to its own side
    const ax = x + dx * this.cell * 0.28 - dy * side, ay = y + dy * this.cell * 0.28 + dx * side;
    const bx = u - dx * this.cell * 0.3 - dy * side, by = v - dy * this.cell * 0.3 + dx * side;
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(ax, ay);
    context.lineTo(bx, by);
    context.stroke();
    context.beginPath();
    context.moveTo(bx + dx * width * 1.8, by + dy * width * 1.8);
    context.lineTo(bx - dy * width * 1.5, by + dx * width * 1.5);
    context.lineTo(bx + dy * width * 1.5, by - dx * width * 1.5);
    context.fill();
  }

  // The tree of a message so far: its links, its destinations (filled where it was delivered), its
  // source.
  drawStory(context) {
    const time = this.run.time, width = Math.max(1.5, Math.min(6, this.cell / 5)), accent = pageColour('--accent');
    this.drawChain(context, this.story.before, '--busy', (node) => [node, this.story.source]);
    this.drawChain(context, this.story.after, '--fullest', (node) => [this.story.source, node]);
    context.lineCap = 'round';
    for (const [colour, thick] of [[pageColour('--paper'), width + 2], [accent, width]]) {
      context.strokeStyle = colour;
      context.lineWidth = thick;
      context.beginPath();
      for (const hop of this.story.hops) {
        if (hop.step > time) break;
        context.moveTo(...this.middle(hop.from));
        context.lineTo(...this.middle(hop.to));
      }
      context.stroke();
    }
    const done = new Set(this.story.deliveries.filter((each) => each.step <= time).map((each) => each.node));
    const radius = Math.max(2.5, Math.min(10, this.cell / 3));
    for (const node of new Set([...this.story.destinations, ...done])) {
      context.beginPath();
      context.arc(...this.middle(node), radius, 0, 2 * Math.PI);
      context.fillStyle = done.has(node) ? accent : pageColour('--paper');
      context.strokeStyle = accent;
      context.lineWidth = Math.max(1, radius / 4);
      context.fill();
      context.stroke();
    }
    if (this.story.source >= 0) this.drawNode(context, this.story.source, accent);
  }

  // The sources of messages beside this one in a chain, joined to its own in the order of time.
  drawChain(context, messages, colour, ends) {
    for (const message of nearest(this.story, messages)) {
      const node = this.run.set.source[message], [from, to] = ends(node).map((end) => this.middle(end));
      context.strokeStyle = pageColour(colour);
      context.lineWidth = 2;
      context.setLineDash([6, 4]);
      context.beginPath();
      context.moveTo(...from);
      context.lineTo(...to);
      context.stroke();
      context.setLineDash([]);
      this.drawNode(context, node, pageColour(colour));
    }
  }

  drawNode(context, node, colour) {
    const [x, y] = this.middle(node), half = Math.max(this.cell / 2, 4);
    context.lineWidth = Math.max(2, Math.min(4, this.cell / 8));
    context.strokeStyle = pageColour('--paper');
    context.strokeRect(x - half - 1.5, y - half - 1.5, 2 * half + 3, 2 * half + 3);
    context.strokeStyle = colour;
    context.strokeRect(x - half, y - half, 2 * half, 2 * half);
  }

  // The cycle of headers that wait for one another.
  drawDeadlock(context) {
    const cycle = this.run.deadlock, colour = pageColour('--accent');
    cycle.forEach((each, i) => {
      const next = cycle[(i + 1) % cycle.length];
      if (each.node !== next.node) this.drawArrow(context, each.node, next.node, colour, Math.max(2, this.cell / 6));
      this.drawNode(context, each.node, colour);
    });
  }

  drawScale() {
    const context = this.scale.getContext('2d');
    this.scale.width = SCALE_STEPS;
    this.scale.height = 1;
    const image = new ImageData(SCALE_STEPS, 1);
    new Uint32Array(image.data.buffer).set(this.colours);
    context.putImageData(image, 0, 0);
  }
}
