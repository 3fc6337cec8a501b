// blocks.js - unpacks the blocks of a run: base 64, deflate, columns of numbers
// (doc/view-format.md).

// The bytes of a text in base 64.
function bytesOfBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// A column: numbers one after the other, each in base 128 with the low seven bits first.
class Column {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  get isDone() {
    return this.at >= this.bytes.length;
  }
  get count() { // of all its numbers
    return this.bytes.reduce((count, byte) => count + (byte < 0x80), 0);
  }
  next() {
    const bytes = this.bytes;
    let byte = bytes[this.at++];
    if (byte < 0x80) return byte;
    let value = byte & 0x7f, factor = 128;
    do {
      byte = bytes[this.at++];
      value += (byte & 0x7f) * factor;
      factor *= 128;
    } while (byte >= 0x80);
    return value;
  }
  // A change may be negative: 0, -1, 1, -2, .. are written as 0, 1, 2, 3, ..
  change() {
    const value = this.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

const MOST_COLUMNS = 64, HEAD_BYTES = 10 * (MOST_COLUMNS + 1), MOST_PACKED = 1032; // by deflate: a bit for 129 bytes

const damaged = () => new Error('the page is damaged: a block is not what its first bytes say');

// The lengths of a block's columns, where these begin and where they end.
function readHead(bytes, packed) {
  const head = new Column(bytes);
  const lengths = [];
  const columns = head.next();
  if (!(columns <= MOST_COLUMNS)) throw damaged();
  while (lengths.length < columns) lengths.push(head.next());
  const end = lengths.reduce((sum, length) => sum + length, head.at);
  if (!(end - head.at <= packed * MOST_PACKED)) throw damaged();
  return { lengths, begin: head.at, end };
}

// Lets through what the block's first bytes promise, and fails with any byte more.
function guard(packed) {
  let first = [], count = 0, end = null;
  return new TransformStream({
    transform(piece, controller) {
      count += piece.length;
      if (end === null) first.push(...piece.subarray(0, HEAD_BYTES));
      if (end === null && count >= HEAD_BYTES) end = readHead(Uint8Array.from(first), packed).end;
      if (end !== null && count > end) throw damaged();
      controller.enqueue(piece);
    },
  });
}

async function unpackBlock(text) {
  const packed = bytesOfBase64(text);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).pipeThrough(guard(packed.length));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const { lengths, begin, end } = readHead(bytes, packed.length);
  if (bytes.length !== end) throw damaged();
  let at = begin;
  return lengths.map((length) => new Column(bytes.subarray(at, at += length)));
}

// The lines of a run in the page, by their first words: the object of `run`, and the blocks as
// text.
function readRunText(text) {
  const lines = text.trim().split('\n');
  if (lines[0] !== 'meshcast-view 1') throw new Error(`this page can show 'meshcast-view 1', not '${lines[0].slice(0, 40)}'`);
  const found = { trace: '', phases: [], notes: [], frames: [], lines: [], set: null, missing: null, items: null, time: null, facts: null };
  for (const line of lines.slice(1)) {
    const word = line.slice(0, line.indexOf(' '));
    const rest = line.slice(word.length + 1);
    if (word === 'frame' || word === 'sums') {
      const [first, last, sums, second, births, events] = rest.split(' ');
      const isSummary = word === 'sums';
      found.frames.push({ isSummary, first: +first, last: +last, sums, ...(isSummary ? { rest: second } : { key: second, births, events }) });
    } else if (word === 'lines') found.lines.push(rest);
    else if (word === 'trace') found.trace = JSON.parse(rest);
    else if (word === 'phase') found.phases.push([parseInt(rest, 10), JSON.parse(rest.slice(rest.indexOf(' ') + 1))]);
    else if (word === 'note') found.notes.push(JSON.parse(rest));
    else if (word === 'set') found.set = rest;
    else if (word === 'missing') found.missing = rest;
    else if (word === 'items') found.items = rest;
    else if (word === 'time') found.time = rest;
    else if (word === 'run') found.facts = JSON.parse(rest);
  }
  if (!found.facts) throw new Error('the run is cut off: its last line is missing');
  return found;
}

// The message set: sources, and destinations of message i at offset[i] .. offset[i + 1] - 1.
// Message i may start in step or cycle start[i], or, if it waits for the messages in waits[i], so
// long after its source has these.
async function unpackSet(text, facts) {
  if (!text) return null;
  const [source, count, , gap, start, waits, awaited] = await unpackBlock(text);
  const messages = facts.messages;
  if (!(messages <= count.bytes.length && facts.deliveries <= gap.bytes.length)) throw damaged();
  const set = {
    source: new Uint32Array(messages), offset: new Float64Array(messages + 1), destination: new Uint32Array(facts.deliveries),
    start: start && !start.isDone ? new Float64Array(messages) : null, waits: waits && !waits.isDone ? [] : null,
  };
  let last = 0;
  for (let i = 0; i < messages; i++) {
    last += source.change();
    set.source[i] = last;
    const many = count.next();
    let before = 0, at = set.offset[i];
    for (let k = 0; k < many; k++) {
      before += gap.next();
      set.destination[at++] = before;
    }
    set.offset[i + 1] = at;
    if (set.start) set.start[i] = start.next();
    if (set.waits) {
      const list = [], many = waits.next();
      for (let message = 0; list.length < many && !awaited.isDone;) list.push(message += awaited.next());
      set.waits.push(list);
    }
  }
  return set;
}

// Returns the missing parts of a broken mesh: its dead nodes, and links [from, to] between live
// ones; null: whole.
async function unpackMissing(text) {
  if (!text) return null;
  const [dead, sender, receiver] = await unpackBlock(text);
  const missing = { nodes: [], links: [] };
  for (let node = 0; !dead.isDone;) missing.nodes.push(node += dead.next());
  for (let node = 0; !sender.isDone;) missing.links.push([node += sender.next(), node + receiver.change()]);
  return missing;
}

// Returns the lines of the part file, from 1, on each node: all of them in on[node], if there are
// any, and the first of each as a display of the mesh; null: not known.
async function unpackItems(text, nodes) {
  if (!text) return null;
  const [count, change] = await unpackBlock(text), on = [], values = new Uint32Array(nodes);
  let line = 0;
  for (let node = 0; !count.isDone;) {
    line++;
    for (let many = count.next(); many > 0 && !change.isDone; many--) (on[node += change.change()] ||= []).push(line);
  }
  on.forEach((lines, node) => (values[node] = lines[0]));
  return { on, show: { name: 'items', text: 'items', unit: 'first line of the part file', values, most: () => line } };
}
