// selftest.js - what the page makes of its runs, as JSON in an element: for tests, which compare it
// with the program.

async function selfTest(runs) {
  const found = [];
  for (const run of runs) {
    const rows = [];
    for (let row = 0; row < run.stepOf.length; row++) {
      await run.seek(run.stepOf[row]);
      const values = run.shows[0].values;
      rows.push([run.stepOf[row], values.reduce((sum, value) => sum + value, 0), largest(values)]);
    }
    const forward = sumOf(run);
    // a jump back and forth must lead to the same state
    await run.seek(Math.floor(run.steps / 3));
    const third = sumOf(run);
    await run.seek(run.steps);
    const again = sumOf(run);
    await run.seek(0);
    await run.seek(Math.floor(run.steps / 3));
    const isStable = forward === again && third === sumOf(run);
    await run.seek(run.steps);
    const story = await run.follow(0, () => {});
    const chains = [];
    for (let i = 0; run.set && run.set.waits && i < run.set.waits.length; i++) {
      const { before, after, delay, begins, times } = await run.follow(i, () => {});
      chains.push({ before, after, delay, begins, here: before.map((each) => times.get(each)), next: after.map((each) => times.get(each)) });
    }
    found.push({
      kind: run.facts.kind, steps: run.steps, isStable, rows, peak: Array.from(run.shows[1].values),
      links: Array.from(run.load || run.out), delivered: run.delivered.length > 0 ? run.delivered[run.delivered.length - 1] : 0,
      followed: story.deliveries.map((each) => each.node).sort((a, b) => a - b), chains, missing: run.missing,
      items: run.items && run.items.on, first: run.items && Array.from(run.items.show.values),
    });
  }
  const element = document.createElement('pre');
  element.id = 'selftest';
  element.textContent = JSON.stringify(found);
  document.body.append(element);
}

// A number that tells states apart.
function sumOf(run) {
  let sum = 0;
  for (const show of run.shows) for (let v = 0; v < run.nodes; v++) sum = (sum * 31 + show.values[v]) % 1000000007;
  return sum;
}
