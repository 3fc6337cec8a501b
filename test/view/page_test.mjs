// page_test.mjs - pages of runs under the hands of a reader: clicks, keys, the address, sizes of
// windows (make page-test).
//
//     node test/view/page_test.mjs MESHCAST FOLDER [PICTURE.png | PAGE.html]
//
// FOLDER takes pages and screenshots, and holds puppeteer-core in node_modules. With a picture it
// makes that one, the README's, and nothing else; with a page it tells how fast that is. CHROMIUM
// names the browser, /usr/bin/chromium if it is not set.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const [program, folderName, picture] = process.argv.slice(2);
const folder = path.resolve(folderName), file = (name) => path.join(folder, name);
const puppeteer = (await import(createRequire(file('x.js')).resolve('puppeteer-core'))).default;
const meshcast = (...words) => execFileSync(path.resolve(program), words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
const mayFail = (...words) => {
  try {
    execFileSync(path.resolve(program), words, { cwd: folder, stdio: 'ignore' });
  } catch { /* a deadlock ends with status 1 */ }
};

const WINDOWS = [{ width: 1280, height: 900 }, { width: 420, height: 900 }];
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, protocolTimeout: 600000,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars'],
});

// Opens a page; what its scripts complain of fails the test.
async function open(name, hash = '', window = WINDOWS[0], scheme = 'light') {
  const page = await browser.newPage();
  page.on('pageerror', (error) => assert.fail(`${name}: ${error}`));
  page.on('console', (message) => message.type() === 'error' && assert.fail(`${name}: ${message.text()}`));
  await page.setViewport(window);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(`file://${file(name)}${hash}`);
  await rest(page);
  return page;
}

// Waits until the page shows what it was asked for.
async function rest(page) {
  await page.waitForFunction(() => globalThis.meshcastPage && meshcastPage.isReady, { timeout: 300000 });
  await page.evaluate(() => meshcastPage.idle());
}
const state = (page) => page.evaluate(() => ({
  time: meshcastPage.time, node: meshcastPage.node, message: meshcastPage.message, speed: meshcastPage.speed, steps: meshcastPage.steps,
  playing: meshcastPage.playing, hash: location.hash, focus: document.activeElement.id || document.activeElement.className,
}));
async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
  await rest(page);
  return state(page);
}

// Text that leaves its box or the window, boxes on top of each other, and controls without a name.
const faults = (page) => page.evaluate(() => {
  const found = [], width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const each of document.querySelectorAll('body *')) {
    const box = each.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || each.closest('svg, dialog:not([open]), script')) continue;
    const what = `${each.tagName.toLowerCase()}${each.id ? `#${each.id}` : ''} "${each.textContent.slice(0, 30)}"`;
    if (box.left < -0.5 || box.right > width + 0.5) found.push(`${what} leaves the window`);
    const hasText = Array.from(each.childNodes).some((node) => node.nodeType === 3 && node.textContent.trim());
    if (hasText && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0 && !each.title) found.push(`${what} is clipped`);
    const isControl = each.matches('button, input, select, [tabindex]');
    if (isControl && !(each.getAttribute('aria-label') || each.textContent.trim())) found.push(`${what} has no name`);
  }
  return found;
});

// The boxes of what must stay where it is while the clock goes.
const places = (page) => page.evaluate(() => Array.from(document.querySelectorAll('.mesh canvas, .timeline canvas, #play, #slider, #show, #busiest'),
  (each) => { const box = each.getBoundingClientRect(); return [each.id || each.className, Math.round(box.left), Math.round(box.top + scrollY), Math.round(box.width)]; }));

const tests = {
  async 'keys move the clock'() {
    const page = await open('one.html');
    assert.equal((await press(page, 'ArrowRight')).time, 1);
    assert.equal((await press(page, 'ArrowRight', 'ArrowRight', 'ArrowLeft')).time, 2);
    await page.keyboard.down('Shift');
    const later = await press(page, 'ArrowRight');
    await page.keyboard.up('Shift');
    assert.equal(later.time, 12);
    assert.equal(later.hash, '#t=12');
    assert.equal((await press(page, 'Home')).time, 0);
    const next = await press(page, ']');
    assert.ok(next.time > 0 && next.time <= next.steps, 'a later phase');
    assert.equal((await press(page, '[')).time, 0);
    const { speed } = await state(page);
    assert.ok((await press(page, '+')).speed > speed);
    assert.equal((await press(page, '-')).speed, speed);
    const end = await press(page, 'End');
    assert.equal(end.time, end.steps);
    await press(page, 'Home');
    await page.keyboard.press(' ');
    assert.equal((await state(page)).playing, true);
    await page.waitForFunction(() => meshcastPage.time >= 2);
    await page.keyboard.press(' ');
    assert.equal((await state(page)).playing, false);
    await page.close();
  },
  async 'the table of keys opens and closes'() {
    const page = await open('one.html', '#t=3&node=5');
    await page.keyboard.press('?');
    assert.equal(await page.$eval('#keys', (dialog) => dialog.open), true);
    assert.deepEqual(await faults(page), []);
    await page.keyboard.press('Escape');
    assert.equal(await page.$eval('#keys', (dialog) => dialog.open), false);
    assert.equal((await state(page)).node, 5, 'closing the table keeps the node');
    assert.equal((await press(page, 'Escape')).node, -1);
    await page.close();
  },
  async 'a click selects a node, a jump selects a message'() {
    const page = await open('one.html', '#t=4');
    const at = await page.evaluate(() => {
      const mesh = meshcastPage.meshes[0], box = mesh.canvas.getBoundingClientRect();
      const node = mesh.run.occupancy.findIndex((packets) => packets > 0), [x, y] = mesh.middle(node);
      return { node, x: box.left + x, y: box.top + y };
    });
    await page.mouse.click(at.x, at.y);
    await rest(page);
    assert.equal((await state(page)).node, at.node);
    assert.match((await state(page)).hash, new RegExp(`node=${at.node}`));
    await page.click('#node-panel button.jump');
    await rest(page);
    const { message, hash } = await state(page);
    assert.ok(message >= 0);
    assert.match(hash, new RegExp(`message=${message}`));
    assert.match(await page.$eval('#message-panel', (panel) => panel.innerText), /delivered/);
    assert.deepEqual(await faults(page), []);
    await page.close();
  },
  async 'the mesh is walked by keys'() {
    const page = await open('one.html', '#t=4');
    await page.focus('.mesh canvas');
    assert.equal((await press(page, 'Enter')).node, 0);
    await page.keyboard.down('Control');
    const walked = await press(page, 'ArrowRight', 'ArrowDown');
    await page.keyboard.up('Control');
    assert.equal(walked.node, 17);
    assert.equal(walked.time, 4);
    await page.close();
  },
  async 'a chain of waits is followed by keys and clicks'() {
    const page = await open('chain.html', '#t=30&message=41');
    assert.match(await page.$eval('#message-panel', (panel) => panel.innerText), /waits for[^]*is awaited by/);
    assert.equal((await press(page, '<')).message, 42, 'the one that it waits for');
    assert.equal((await press(page, '>')).message, 41);
    await page.focus('#message-panel button[data-message="42"]');
    assert.equal((await press(page, 'Enter')).message, 42);
    assert.ok(await page.evaluate(() => document.getElementById('message-panel').contains(document.activeElement)), 'the focus stays');
    assert.deepEqual(await faults(page), []);
    await page.close();
  },
  async 'the address leads to a moment'() {
    const page = await open('one.html', '#t=5&node=9&show=peak');
    assert.deepEqual([(await state(page)).time, (await state(page)).node], [5, 9]);
    assert.equal(await page.$eval('#show', (select) => select.value), 'peak');
    await page.evaluate(() => { location.hash = '#t=2'; });
    await page.waitForFunction(() => meshcastPage.time === 2);
    await rest(page);
    assert.equal((await state(page)).node, -1, 'an address without a node shows none');
    await page.close();
  },
  async 'the mesh is coloured by items, and a node leads to its messages'() {
    const page = await open('items.html', '#t=2&show=items&node=19');
    assert.equal(await page.$eval('#show', (select) => select.value), 'items');
    assert.match(await page.$eval('.scale', (scale) => scale.innerText), /256\s*first line of the part file/);
    assert.match(await page.$eval('#node-panel', (panel) => panel.innerText), /lines of the part file: 20\s*messages from here: 19/);
    await page.focus('#node-panel button[data-message="19"]');
    assert.equal((await press(page, 'Enter')).message, 19);
    assert.deepEqual(await faults(page), []);
    await page.close();
  },
  async 'tab leads to every control'() {
    const page = await open('one.html', '#t=4'), seen = new Set();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      seen.add((await state(page)).focus);
    }
    for (const id of ['back', 'play', 'forward', 'slider', 'speed', 'show', 'help', 'jump']) assert.ok(seen.has(id), `tab comes to ${id}`);
    await page.close();
  },
  async 'no text is cut, nothing jumps'() {
    for (const name of ['one.html', 'two.html', 'large.html', 'row.html', 'torus.html', 'graph.html', 'deadlock.html'])
      for (const window of WINDOWS) {
        const page = await open(name, '', window);
        const before = await places(page);
        assert.deepEqual(await faults(page), [], `${name} at ${window.width}`);
        await page.screenshot({ path: file(`${name}-${window.width}.png`), fullPage: window.width < 500 });
        for (const part of [0.4, 1]) {
          await page.evaluate((to) => meshcastPage.go(meshcastPage.steps * to), part);
          await rest(page);
          assert.deepEqual(await places(page), before, `${name} at ${window.width} jumps`);
        }
        await page.close();
        const dark = await open(name, '', window, 'dark');
        await dark.evaluate(() => meshcastPage.go(meshcastPage.steps / 2));
        await rest(dark);
        await dark.screenshot({ path: file(`${name}-${window.width}-dark.png`), fullPage: window.width < 500 });
        await dark.close();
      }
  },
};

// Milliseconds from the request to a page that is ready, and in the scripts for each of 60 steps:
// the least and the median.
async function measure(name) {
  const page = await browser.newPage(), begin = performance.now();
  await page.setViewport(WINDOWS[0]);
  await page.goto(`file://${path.resolve(name)}`);
  await rest(page);
  console.log(`opens in ${Math.round(performance.now() - begin)} ms`);
  const times = await page.evaluate(async () => {
    const view = meshcastPage, found = { step: [], picture: [], both: [] };
    await view.go(Math.floor(view.steps / 5));
    view.playing = true; // the panels wait until the clock stands
    for (let i = 0; i < 60 && view.time < view.steps; i++) {
      const first = performance.now();
      for (const run of view.runs) await run.seek(Math.min(view.time + 1, run.steps));
      const second = performance.now();
      view.time++;
      view.draw();
      const third = performance.now();
      found.step.push(second - first);
      found.picture.push(third - second);
      found.both.push(third - first);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return found;
  });
  for (const [what, each] of Object.entries(times)) {
    each.sort((a, b) => a - b);
    console.log(`${what}: ${each[0].toFixed(1)} ms at least, median ${each[each.length >> 1].toFixed(1)} ms`);
  }
}

try {
  if (picture && picture.endsWith('.html')) await measure(picture);
  else if (picture) {
    meshcast('gen', '--side', '64', '--pattern', 'moe', '-o', 'moe.mcast');
    meshcast('route', 'moe.mcast', '--router', 'trees', '--param', 'tree=spread', '--copy', 'free', '--quiet', '--view', 'moe.html');
    const page = await open('moe.html', '#t=60&message=2203', { width: 1100, height: 860 });
    await page.screenshot({ path: picture, clip: { x: 0, y: 58, width: 1100, height: 696 } });
  } else {
    meshcast('gen', '--side', '16', '--pattern', 'uniform', '--degree', '4', '--congestion', '4', '-o', 'one.mcast');
    meshcast('route', 'one.mcast', '--router', 'replicate', '-q', '--trace', 'one.trace', '--view', 'one.html');
    meshcast('route', 'one.mcast', '--router', 'stream', '-q', '--trace', 'other.trace');
    meshcast('view', 'one.mcast', 'one.trace', 'other.trace', '-o', 'two.html');
    writeFileSync(file('row.part'), Array.from({ length: 256 }, (_, i) => `${i}\n`).join(''));
    meshcast('view', 'one.mcast', 'one.trace', '--part', 'row.part', '-o', 'items.html');
    meshcast('gen', '--side', '64', '--pattern', 'uniform', '--degree', '4', '--congestion', '4', '-o', 'large.mcast');
    meshcast('route', 'large.mcast', '--router', 'trees', '-q', '--view', 'large.html');
    meshcast('gen', '--rows', '1', '--cols', '24', '--pattern', 'uniform', '--degree', '3', '-o', 'row.mcast');
    meshcast('route', 'row.mcast', '--router', 'trees', '-q', '--view', 'row.html');
    meshcast('gen', '--topology', 'torus:4x4x4', '--pattern', 'uniform', '--degree', '4', '-o', 'torus.mcast');
    meshcast('network', 'torus.mcast', '--scheme', 'unicast', '--vcs', '2', '--flits', '5', '-q', '--view', 'torus.html');
    meshcast('gen', '--side', '8', '--pattern', 'allreduce', '--algorithm', 'tree', '-o', 'chain.mcast');
    meshcast('network', 'chain.mcast', '--scheme', 'unicast', '--flits', '4', '-q', '--view', 'chain.html');
    writeFileSync(file('wheel.graph'), Array.from({ length: 24 }, (_, i) => `${i} ${(i + 1) % 24}\n${i} ${(i + 5) % 24}\n`).join(''));
    meshcast('gen', '--topology', 'graph:wheel.graph', '--pattern', 'uniform', '--degree', '2', '-o', 'graph.mcast');
    meshcast('network', 'graph.mcast', '--topology', 'graph:wheel.graph', '--scheme', 'unicast', '--param', 'routing=label', '--flits', '4', '-q', '--view', 'graph.html');
    meshcast('gen', '--topology', 'mesh:8x8', '--pattern', 'block', '--degree', '4', '-o', 'deadlock.mcast');
    mayFail('network', 'deadlock.mcast', '--scheme', 'dual', '--consumption', '1', '--flits', '20', '-q', '--view', 'deadlock.html');
    let failed = 0;
    for (const [name, test] of Object.entries(tests)) {
      try {
        await test();
        console.log(`passed: ${name}`);
      } catch (error) {
        failed++;
        console.log(`failed: ${name}\n${error.stack}`);
      }
    }
    console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
    process.exitCode = failed > 0 ? 1 : 0;
  }
} finally {
  await browser.close();
}
