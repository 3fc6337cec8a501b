// machine_run.js - a run of the mesh machine: unpacks frames, and knows where each packet is at any
// step.
//
// A frame stands by itself: its key says where packets are before its first row, its events what
// happens in each row (a step in which something happened). What came before a frame is in the sums
// of the frames before it. So a jump unpacks one frame; playing on goes row by row.

const NORTH = 0, SOUTH = 1, WEST = 2, EAST = 3, DIRECTIONS = 4;
const MOVE_ON = 0, MOVE = 1, INJECT = 5, COPY = 6, DELIVER = 7, END = 8, DISCARD = 9, MERGE = 10;
const NOWHERE = 0xffffffff, MOST_NODES = 2 ** 26;
const LONGEST_PAUSE = 6; // milliseconds of unpacking between two pictures

const nextTask = () => new Promise((resolve) => setTimeout(resolve, 0));

class MachineRun {
  static async make(found) {
    const run = new MachineRun();
    run.facts = found.facts;
    run.frames = found.frames;
    run.rows = found.facts.rows;
    run.cols = found.facts.cols;
    run.nodes = run.rows * run.cols;
    if (!(run.nodes <= MOST_NODES)) throw damaged();
    run.unit = 'step';
    run.beginText = 'injected, step';
    run.set = await unpackSet(found.set, found.facts);
    run.missing = await unpackMissing(found.missing);
    run.items = await unpackItems(found.items, run.nodes);
    await run.unpackTime(found.time, found.phases);
    const packets = await run.unpackBirths();
    run.node = new Uint32Array(packets).fill(NOWHERE); // of each packet, now
    run.since = new Float64Array(packets); // the step of its last move, where this frame knows it
    run.scratch = new Uint32Array(packets); // for unpacking
    run.way = new Uint8Array(packets);
    run.occupancy = new Uint32Array(run.nodes);
    run.peak = new Uint32Array(run.nodes);
    run.load = new Uint32Array(run.nodes * DIRECTIONS); // packets over each link so far
    run.out = new Uint32Array(run.nodes); // the same over all links out of a node
    run.cache = new Map(); // frame: promise of its events
    run.frame = -1; // the frame, and its row, that the state is of; -1: before the first
    run.row = -1;
    run.events = null; // of the frame
    run.time = 0;
    run.moves = []; // links crossed in the last row, [from * 4 + direction, message]
    await run.reset();
    return run;
  }

  // The displays of the mesh: a value per node.
  get shows() {
    return [
      { name: 'packets', text: 'packets now', unit: 'packets at a node', values: this.occupancy, most: () => this.mostOccupancy },
      { name: 'peak', text: 'fullest so far', unit: 'packets at a node', values: this.peak, most: () => this.mostOccupancy },
      { name: 'links', text: 'links so far', unit: 'packets sent by a node', values: this.out, most: () => this.mostOut() },
      ...(this.items ? [this.items.show] : []),
    ];
  }

  async unpackTime(text, begins) {
    const [step, packets, delivered, fullest, hops, words] = await unpackBlock(text);
    const column = [step, packets, delivered, fullest, hops, words].map((each) => {
      const values = [];
      for (let value = 0; !each.isDone;) values.push(value += each.change());
      return Float64Array.from(values);
    });
    this.stepOf = column[0];
    this.delivered = column[2];
    this.hopsOf = column[4];
    this.wordsOf = column[5];
    this.steps = this.facts.steps;
    this.series = [
      { name: 'packets in the network', colour: '--packets', values: column[1], holds: true, fill: true },
      { name: 'busy links', colour: '--busy', values: column[4].map((hops, i) => hops + column[5][i]), holds: false },
      { name: 'fullest buffer', colour: '--fullest', values: column[3], holds: true },
    ];
    this.mostOccupancy = column[3].reduce((most, value) => Math.max(most, value), 0);
    const phases = begins.map(([row, name]) => ({ name, first: row === 0 ? 1 : this.stepOf[row - 1] + 1, row }));
    this.phases = phases.map((phase, i) => ({ ...phase, last: i + 1 < phases.length ? phases[i + 1].first - 1 : this.steps }))
      .filter((phase) => phase.last >= phase.first);
  }

  place(node) {
    return [node % this.cols, Math.floor(node / this.cols)];
  }
  nodeAt(col, row) {
    return row * this.cols + col;
  }
  neighbour(link) {
    const node = link >> 2;
    return node + [-this.cols, this.cols, -1, 1][link & 3];
  }

  // The last row at or before a step; -1: none.
  rowAt(step) {
    let low = 0, high = this.stepOf.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.stepOf[middle] <= step) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
  frameAt(step) {
    let frame = -1;
    for (let low = 0, high = this.frames.length; low < high;) {
      const middle = (low + high) >> 1;
      if (this.frames[middle].first <= step) low = (frame = middle) + 1;
      else high = middle;
    }
    return frame;
  }

  // ---- unpacking

  unpackFrame(index) {
    const cached = this.cache.get(index);
    if (cached) return cached;
    for (const old of this.cache.keys()) if (this.cache.size >= 4) this.cache.delete(old);
    const promise = this.unpackEvents(this.frames[index]);
    this.cache.set(index, promise);
    return promise;
  }

  // The messages and numbers of all packets, frame by frame as they come; returns how many there
  // are.
  async unpackBirths() {
    const blocks = [];
    for (const frame of this.frames) {
      if (frame.isSummary) break;
      blocks.push(await unpackBlock(frame.births));
    }
    const packets = blocks.reduce((sum, [messages]) => sum + messages.count, 0);
    this.message = new Uint32Array(packets);
    this.number = new Float64Array(packets); // in the trace
    let p = 0;
    for (const [messages, numbers] of blocks)
      for (let message = 0, number = -1; !messages.isDone; p++) {
        this.message[p] = message += messages.change();
        this.number[p] = number += 1 + numbers.change();
      }
    return packets;
  }

  async unpackKey(frame) {
    const [gap, nodes] = await unpackBlock(frame.key);
    const packet = [], node = [];
    for (let p = 0, v = 0; !gap.isDone;) {
      packet.push(p += gap.next());
      node.push(v += nodes.change());
    }
    return { packet, node };
  }

  // One frame at a time is unpacked: all use the same arrays meanwhile.
  unpackEvents(frame) {
    return (this.unpacking = (this.unpacking || Promise.resolve()).then(() => this.unpackEventsOf(frame)));
  }

  // The events of a frame: of row r those from begin[r] to begin[r + 1] - 1. `at` is where the
  // packet is before an event, `other` where it goes, its copy, what it merges into, or its message
  // where it is injected or delivered. Pictures are drawn in between.
  async unpackEventsOf(frame) {
    const [key, block] = await Promise.all([this.unpackKey(frame), unpackBlock(frame.events)]);
    const [steps, counts, wordCounts, gaps, operations, nodes, copies, intos, words] = block;
    const total = operations.bytes.length; // each operation is one byte
    const events = {
      key, step: [], begin: [0], wordBegin: [0], packet: new Uint32Array(total), operation: new Uint8Array(total),
      at: new Uint32Array(total), other: new Uint32Array(total), words: [],
    };
    const where = this.scratch, way = this.way, shift = [-this.cols, this.cols, -1, 1];
    for (let i = 0; i < key.packet.length; i++) {
      where[key.packet[i]] = key.node[i];
      way[key.packet[i]] = 0;
    }
    let lastNode = 0, lastCopy = -1, i = 0, pause = performance.now();
    while (!steps.isDone) {
      if (performance.now() - pause > LONGEST_PAUSE) {
        await nextTask();
        pause = performance.now();
      }
      events.step.push(frame.first + steps.next());
      const count = counts.next(), wordCount = wordCounts.next();
      for (let k = 0, p = 0; k < count; k++, i++) {
        p += gaps.change();
        const operation = operations.next();
        events.packet[i] = p;
        if (operation <= MOVE + EAST) {
          if (operation >= MOVE) way[p] = operation - MOVE;
          events.operation[i] = MOVE + way[p];
          events.at[i] = where[p];
          events.other[i] = where[p] += shift[way[p]];
          continue;
        }
        events.operation[i] = operation;
        events.other[i] = this.message[p];
        if (operation === INJECT) {
          where[p] = lastNode += nodes.change();
          way[p] = 0;
        } else if (operation === COPY) {
          events.other[i] = lastCopy += 1 + copies.change();
          where[lastCopy] = where[p];
          way[lastCopy] = 0;
        } else if (operation === MERGE) events.other[i] = p + intos.change();
        events.at[i] = where[p];
      }
      events.begin.push(i);
      for (let k = 0, l = 0; k < wordCount; k++) events.words.push(l += words.next());
      events.wordBegin.push(events.words.length);
    }
    return events;
  }

  async addSums(index) {
    const [node, peak, link, load] = await unpackBlock(this.frames[index].sums);
    for (let v = 0; !node.isDone;) {
      v += node.next();
      this.peak[v] = Math.max(this.peak[v], peak.next());
    }
    for (let l = 0; !link.isDone;) {
      l += link.next();
      const packets = load.next();
      this.load[l] += packets;
      this.out[l >> 2] += packets;
    }
  }

  // ---- the clock

  async reset() {
    for (const array of [this.occupancy, this.peak, this.load, this.out]) array.fill(0);
    this.node.fill(NOWHERE);
    this.frame = -1;
    this.row = -1;
    this.events = null;
    this.time = 0;
    this.moves = [];
  }

  // Brings the state to the beginning of a frame.
  async enterFrame(index) {
    if (index !== this.frame + 1 || (this.events && this.row + 1 < this.events.step.length)) {
      for (const array of [this.peak, this.load, this.out]) array.fill(0);
      for (let i = 0; i < index; i++) await this.addSums(i);
    }
    const frame = this.frames[index];
    this.occupancy.fill(0);
    this.node.fill(NOWHERE);
    this.frame = index;
    this.row = -1;
    this.moves = [];
    if (frame.isSummary) {
      await this.addSums(index);
      const [gap, packets] = await unpackBlock(frame.rest);
      for (let v = 0; !gap.isDone;) this.occupancy[v += gap.next()] = packets.next();
      this.events = { step: [], begin: [0] };
      return;
    }
    this.events = await this.unpackFrame(index);
    const key = this.events.key;
    for (let i = 0; i < key.packet.length; i++) {
      this.node[key.packet[i]] = key.node[i];
      this.since[key.packet[i]] = -1;
      this.occupancy[key.node[i]]++;
    }
    if (index + 1 < this.frames.length && !this.frames[index + 1].isSummary) this.unpackFrame(index + 1);
  }

  // Applies the next row of the frame.
  nextRow() {
    const events = this.events, row = ++this.row, end = events.begin[row + 1], step = events.step[row];
    const node = this.node, occupancy = this.occupancy;
    this.moves = [];
    const isSmall = this.nodes <= 4096;
    for (let i = events.begin[row]; i < end; i++) {
      const p = events.packet[i], at = events.at[i], other = events.other[i];
      const operation = events.operation[i];
      if (operation <= MOVE + EAST) {
        const link = at * DIRECTIONS + operation - MOVE;
        node[p] = other;
        this.since[p] = step;
        occupancy[at]--;
        occupancy[other]++;
        this.load[link]++;
        this.out[at]++;
        if (isSmall) this.moves.push([link, this.message[p]]);
        continue;
      }
      switch (operation) {
        case INJECT:
          node[p] = at;
          this.since[p] = step;
          occupancy[at]++;
          break;
        case COPY:
          node[other] = at;
          this.since[other] = step;
          occupancy[at]++;
          break;
        case END: case DISCARD: case MERGE:
          node[p] = NOWHERE;
          occupancy[at]--;
          break;
      }
    }
    for (let i = events.begin[row]; i < end; i++) {
      if (occupancy[events.at[i]] > this.peak[events.at[i]]) this.peak[events.at[i]] = occupancy[events.at[i]];
      if (events.operation[i] <= MOVE + EAST && occupancy[events.other[i]] > this.peak[events.other[i]]) this.peak[events.other[i]] = occupancy[events.other[i]];
    }
  }

  // Brings the state to the end of a step.
  async seek(step) {
    const frame = this.frameAt(step);
    if (frame < 0) await this.reset();
    else {
      const isLater = step >= this.time;
      if (frame !== this.frame || !isLater) {
        if (isLater && frame === this.frame + 1 && this.events) while (this.row + 1 < this.events.step.length) this.nextRow();
        await this.enterFrame(frame);
      }
      const steps = this.events.step;
      while (this.row + 1 < steps.length && steps[this.row + 1] <= step) this.nextRow();
      if (this.row >= 0 && steps[this.row] < step) this.moves = [];
    }
    this.time = step;
  }

  // Steps behind which there is no more detail than a frame's sums.
  get detailEnds() {
    return this.facts.detail_ends;
  }

  // ---- queries of the panels

  mostOut() {
    if (this.mostOfOut === undefined) this.mostOfOut = this.out.reduce((most, value) => Math.max(most, value), 1);
    return this.mostOfOut;
  }
  // Learns the largest sums of the whole run, once.
  async measure() {
    const out = new Float64Array(this.nodes);
    for (const frame of this.frames) {
      const [, , link, load] = await unpackBlock(frame.sums);
      for (let l = 0; !link.isDone;) out[(l += link.next()) >> 2] += load.next();
    }
    this.mostOfOut = out.reduce((most, value) => Math.max(most, value), 1);
  }

  // Returns the set's number of a message of the trace; -1: it is not there.
  messageIndex(message) {
    const set = this.set;
    if (!set) return -1;
    if (!this.facts.named_by_source) return message < set.source.length ? message : -1;
    let low = 0, high = set.source.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (set.source[middle] < message) low = middle + 1;
      else high = middle;
    }
    return low < set.source.length && set.source[low] === message ? low : -1;
  }
  destinations(message) {
    const i = this.messageIndex(message);
    return i < 0 ? [] : Array.from(this.set.destination.subarray(this.set.offset[i], this.set.offset[i + 1]));
  }
  // The messages that a message waits for, those that wait for it, and the delay of its start.
  chain(message) {
    const i = this.messageIndex(message), { start, waits } = this.set || {};
    const before = i >= 0 && waits ? waits[i] : [], after = [];
    if (i >= 0 && waits) waits.forEach((list, k) => list.includes(i) && after.push(k));
    return { before, after, delay: i >= 0 && start ? start[i] : 0 };
  }
  // The packets at a node, by message.
  packetsAt(node) {
    const found = [];
    for (let p = 0; p < this.node.length; p++)
      if (this.node[p] === node) found.push({ packet: p, number: this.number[p], message: this.message[p], since: this.since[p] });
    return found;
  }
  async eachFrame(take, progress) {
    for (let i = 0; i < this.frames.length; i++) {
      if (this.frames[i].isSummary) break;
      take(await this.unpackEvents(this.frames[i]), i);
      progress((i + 1) / this.frames.length);
    }
  }

  // All that became of a message: its hops, deliveries, how long its packets waited where, when its
  // source had the messages that it waits for, and when those began that wait for it.
  async follow(message, progress) {
    const chain = this.chain(message), before = new Set(chain.before), after = new Set(chain.after), index = this.messageIndex(message);
    const source = index < 0 ? -1 : this.set.source[index];
    const story = { message, source, hops: [], deliveries: [], waits: [], ...chain, begins: null, times: new Map() };
    const last = new Map(); // packet: the step since which it is where it is
    const from = new Map(); // packet of a reduction: the nodes whose contributions it carries
    await this.eachFrame((events) => {
      for (let row = 0; row < events.step.length; row++) {
        const step = events.step[row];
        for (let i = events.begin[row]; i < events.begin[row + 1]; i++) {
          const p = events.packet[i];
          const at = events.at[i], other = events.other[i], operation = events.operation[i], its = this.message[p];
          if (its !== message) {
            const isReceipt = (operation === DELIVER || operation === END) && at === source && before.has(its);
            if (isReceipt || (operation === INJECT && after.has(its) && !story.times.has(its))) story.times.set(its, step);
            continue;
          }
          const wait = last.has(p) ? step - last.get(p) - 1 : 0;
          if (operation <= MOVE + EAST) {
            story.hops.push({ step, packet: p, from: at, to: other });
            if (wait > 0) story.waits.push({ node: at, steps: wait, until: step, number: this.number[p] });
            last.set(p, step);
          } else if (operation === INJECT) {
            if (story.begins === null) story.begins = step;
            last.set(p, step);
            from.set(p, [at]);
          } else if (operation === COPY) last.set(other, step);
          else if (this.facts.reduces && operation === MERGE) from.set(other, from.get(other).concat(from.get(p)));
          else if (this.facts.reduces && operation === END) for (const node of from.get(p)) story.deliveries.push({ step, node });
          else if (operation === DELIVER || operation === END) story.deliveries.push({ step, node: at });
        }
      }
    }, progress);
    story.waits.sort((a, b) => b.steps - a.steps);
    return story;
  }

  // Returns the packets of a node at the end of each row.
  async historyOf(node, progress) {
    const step = [], value = [];
    await this.eachFrame((events) => {
      let now = 0;
      for (const v of events.key.node) now += v === node ? 1 : 0;
      for (let row = 0; row < events.step.length; row++) {
        const before = now;
        for (let i = events.begin[row]; i < events.begin[row + 1]; i++) {
          const operation = events.operation[i];
          if (operation <= MOVE + EAST) now += (events.other[i] === node ? 1 : 0) - (events.at[i] === node ? 1 : 0);
          else if (events.at[i] === node) now += operation === INJECT || operation === COPY ? 1 : operation === DELIVER ? 0 : -1;
        }
        if (now !== before || step.length === 0) {
          step.push(events.step[row]);
          value.push(now);
        }
      }
    }, progress);
    return { step, value };
  }

  busiest(count) {
    const links = topOf(this.load, count).map(([link, value]) => ({ text: `${link >> 2} \u2192 ${this.neighbour(link)}`, node: link >> 2, value }));
    const nodes = topOf(this.peak, count).map(([node, value]) => ({ text: `${node}`, node, value }));
    return { links, nodes, linkUnit: 'packets so far', nodeUnit: 'most packets so far' };
  }
}

// The largest values of an array with their places, the largest first.
function topOf(values, count) {
  const top = [];
  for (let i = 0; i < values.length; i++) {
    if (values[i] === 0 || (top.length === count && values[i] <= top[count - 1][1])) continue;
    let at = top.length;
    while (at > 0 && top[at - 1][1] < values[i]) at--;
    top.splice(at, 0, [i, values[i]]);
    if (top.length > count) top.pop();
  }
  return top;
}
