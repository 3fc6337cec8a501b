// timeline_view.js - a run over its steps: packets in the network, busy links, the fullest buffer,
// and the phases.
//
// Each curve has a scale of its own, from 0 to its largest value, which the legend tells. A pixel
// shows the largest value of the steps that it stands for.

class TimelineView {
  constructor(run, parent, steps, seek) {
    this.run = run;
    this.steps = steps; // of the longest run on the page: all clocks have one scale
    this.box = document.createElement('div');
    this.box.className = 'timeline';
    this.box.innerHTML = '<div class="legend"></div><canvas aria-hidden="true"></canvas>';
    parent.append(this.box);
    this.canvas = this.box.querySelector('canvas');
    this.legend = this.box.querySelector('.legend');
    const seekTo = (event) => {
      const box = this.canvas.getBoundingClientRect();
      seek(Math.round(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * this.steps));
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seekTo(event);
    });
    this.canvas.addEventListener('pointermove', (event) => event.buttons > 0 && seekTo(event));
    this.curves = document.createElement('canvas');
    new ResizeObserver(() => {
      this.drawn = false;
      this.draw();
    }).observe(this.canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.drawn = false;
      this.draw();
    });
    this.legend.innerHTML = run.series.map((each) => `<span><i style="background:var(${each.colour})"></i>${each.name} <b style="min-width:${largest(each.values).toLocaleString('en').length}ch"></b> of ${largest(each.values).toLocaleString('en')}</span>`).join('') +
      `<span>${run.facts.reduces ? 'contributions that came in' : 'delivered'} <b style="min-width:${((run.facts.deliveries || 0).toLocaleString('en').length)}ch"></b></span>` + '<span class="phase"></span>';
    this.values = this.legend.querySelectorAll('b');
    this.phase = this.legend.querySelector('.phase');
  }

  x(step) {
    return (step / Math.max(1, this.steps)) * this.width;
  }

  drawCurves() {
    const { run, width, height } = this, context = this.curves.getContext('2d'), ratio = devicePixelRatio || 1;
    this.curves.width = Math.round(width * ratio);
    this.curves.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'top';
    run.phases.forEach((phase, i) => {
      const left = this.x(phase.first - 1), right = this.x(phase.last);
      context.fillStyle = pageColour(phase.name === 'sync' ? '--sync' : i % 2 === 0 ? '--phase' : '--ground');
      context.fillRect(left, 0, Math.max(1, right - left), height);
      if (phase.name !== 'sync' && context.measureText(phase.name).width + 8 < right - left) {
        context.fillStyle = pageColour('--faint');
        context.fillText(phase.name, left + 4, 2);
      }
    });
    const top = 15, bottom = height - 1;
    for (const each of run.series) this.drawCurve(context, each, top, bottom);
    if (run.facts.lower_bound) this.drawBound(context, run.facts.lower_bound, height);
  }

  drawCurve(context, series, top, bottom) {
    const { run, width } = this, most = Math.max(1, largest(series.values)), columns = Math.ceil(width);
    const value = new Float64Array(columns + 1);
    const stepOf = run.stepOf, perPixel = Math.max(1, this.steps) / width;
    for (let x = 0, row = 0; x <= columns; x++) {
      // the step s is drawn between s - 1 and s
      const first = x === 0 ? 0 : Math.floor(x * perPixel) + 1, last = Math.max(first, Math.ceil((x + 1) * perPixel));
      while (row > 0 && stepOf[row - 1] >= first) row--;
      while (row < stepOf.length && stepOf[row] < first) row++;
      let best = series.holds && row > 0 ? series.values[row - 1] : 0;
      for (; row < stepOf.length && stepOf[row] <= last; row++) best = Math.max(best, series.values[row]);
      value[x] = best;
    }
    const end = this.x(run.steps), y = (v) => bottom - (v / most) * (bottom - top);
    context.beginPath();
    context.moveTo(0, y(value[0]));
    for (let x = 0; x <= columns && x <= end; x++) context.lineTo(x + 0.5, y(value[x]));
    context.strokeStyle = pageColour(series.colour);
    context.lineWidth = 1.5;
    context.stroke();
    if (!series.fill) return;
    context.lineTo(Math.min(end, columns), bottom);
    context.lineTo(0, bottom);
    context.globalAlpha = 0.15;
    context.fillStyle = pageColour(series.colour);
    context.fill();
    context.globalAlpha = 1;
  }

  drawBound(context, bound, height) {
    const x = this.x(bound), text = `lower bound ${bound.toLocaleString('en')}`;
    context.strokeStyle = context.fillStyle = pageColour('--ink');
    context.lineWidth = 1;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, height);
    context.stroke();
    context.setLineDash([]);
    const width = context.measureText(text).width;
    context.textBaseline = 'top';
    const left = x + 4 + width < this.width ? x + 4 : x - width - 4;
    context.lineWidth = 4;
    context.lineJoin = 'round';
    context.strokeStyle = pageColour('--ground');
    context.strokeText(text, left, 17); // a halo, as curves run below
    context.fillText(text, left, 17);
  }

  draw() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, ratio = devicePixelRatio || 1;
    if (width === 0) return;
    this.width = width;
    this.height = height;
    if (!this.drawn) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.drawCurves();
      this.drawn = true;
    }
    const context = this.canvas.getContext('2d');
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.curves, 0, 0);
    context.fillStyle = pageColour('--accent');
    context.fillRect(Math.round(this.x(Math.min(this.time || 0, this.run.steps)) * ratio), 0, Math.max(1, Math.round(1.5 * ratio)), this.canvas.height);
  }

  setTime(time) {
    this.time = time;
    const row = this.run.rowAt(time);
    this.run.series.forEach((each, i) => {
      const counts = row >= 0 && (each.holds || this.run.stepOf[row] === time);
      this.values[i].textContent = counts ? each.values[row].toLocaleString('en') : '0';
    });
    const all = this.run.facts.deliveries;
    this.values[this.run.series.length].textContent = (row >= 0 ? this.run.delivered[row].toLocaleString('en') : '0') + (all ? ` of ${all.toLocaleString('en')}` : '');
    const phase = this.run.phases.find((each) => time >= each.first && time <= each.last);
    this.phase.textContent = phase ? `phase: ${phase.name}` : '';
    this.draw();
  }
}

function largest(values) {
  let most = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > most) most = values[i];
  return most;
}
