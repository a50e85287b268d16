// The picture: nodes, relations and names on a canvas, as the state of the page says.
class Drawing {
  static CELL = 8; // names keep this grid of screen pixels free of one another
  static NAMES = 220;
  static LARGE = 9; // pixels of a radius: no name covers such a node
  static FIRST = 12; // entities, the heaviest, that are named before others
  static NAMED = 2.5; // of many, those whose radius is below this get no name

  constructor(canvas, model, layout) {
    Object.assign(this, { canvas, model, layout });
    this.pen = canvas.getContext("2d");
    this.zoom = 1;
    this.left = this.top = 0; // where the layout's origin is on the screen
    this.moved = false; // by a person: until then everything is kept in view
    this.room = { left: 40, right: 40, top: 40, bottom: 40 }; // that the legend and buttons take
    this.widths = new Map();
    this.colours();
  }

  colours() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    this.ground = colour("ground");
    this.ink = colour("ink");
    this.edge = colour("edge");
    this.accent = colour("accent");
    this.looks = Array.from({ length: 10 }, (_, look) => colour(`look-${look}`));
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    const sharpness = window.devicePixelRatio || 1;
    const grownX = box.width - (this.width || box.width), grownY = box.height - (this.height || box.height);
    this.width = box.width;
    this.height = box.height;
    this.canvas.width = Math.max(1, Math.round(box.width * sharpness));
    this.canvas.height = Math.max(1, Math.round(box.height * sharpness));
    this.sharpness = sharpness;
    if (this.moved) {
      this.left += grownX / 2;
      this.top += grownY / 2;
    }
  }

  // -- from the layout to the screen and back ------------------------------------------------------

  screenX(i) {
    return this.layout.x[i] * this.zoom + this.left;
  }

  screenY(i) {
    return this.layout.y[i] * this.zoom + this.top;
  }

  size(i) {
    // On the screen nodes grow more slowly than distances do, so that zooming in makes room.
    return Math.max(1.6, this.layout.radius[i] * Math.min(Math.pow(this.zoom, 0.75), 2.2));
  }

  fit() {
    const shown = this.model.nodes.filter((node) => this.model.shows(node));
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    for (const { index } of shown) {
      const r = this.layout.radius[index];
      left = Math.min(left, this.layout.x[index] - r);
      right = Math.max(right, this.layout.x[index] + r);
      top = Math.min(top, this.layout.y[index] - r);
      bottom = Math.max(bottom, this.layout.y[index] + r);
    }
    if (!shown.length) left = right = top = bottom = 0;
    const room = this.room;
    const width = Math.max(this.width - room.left - room.right, 40);
    const height = Math.max(this.height - room.top - room.bottom, 40);
    const zoom = Math.min(width / Math.max(right - left, 1), height / Math.max(bottom - top, 1));
    this.zoom = Math.min(Math.max(zoom, 0.02), 1.6);
    this.left = room.left + width / 2 - ((left + right) / 2) * this.zoom;
    this.top = room.top + height / 2 - ((top + bottom) / 2) * this.zoom;
  }

  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.min(Math.max(this.zoom * factor, 0.02), 12);
    this.left = x - ((x - this.left) * zoom) / this.zoom;
    this.top = y - ((y - this.top) * zoom) / this.zoom;
    this.zoom = zoom;
    this.moved = true;
  }

  pan(dx, dy) {
    this.left += dx;
    this.top += dy;
    this.moved = true;
  }

  // Bring a node into view, and close enough to tell it from its neighbours.
  show(i) {
    const { room } = this;
    const x = this.screenX(i), y = this.screenY(i);
    const inside = x > room.left && x < this.width - room.right && y > room.top && y < this.height - room.bottom;
    if (inside && this.zoom >= 0.7) return;
    this.zoomBy(Math.max(1, 0.9 / this.zoom));
    this.pan(
      (this.width + room.left - room.right) / 2 - this.screenX(i),
      (this.height + room.top - room.bottom) / 2 - this.screenY(i),
    );
  }

  at(x, y) {
    let best = -1, nearest = Infinity;
    for (const node of this.model.nodes) {
      if (!this.model.shows(node)) continue;
      const i = node.index;
      const distance = Math.hypot(this.screenX(i) - x, this.screenY(i) - y) - this.size(i);
      if (distance < 5 && distance < nearest) {
        best = i;
        nearest = distance;
      }
    }
    return best;
  }

  // -- one picture -----------------------------------------------------------------------------

  draw() {
    if (!this.moved) this.fit();
    const { pen } = this;
    pen.setTransform(this.sharpness, 0, 0, this.sharpness, 0, 0);
    pen.globalAlpha = 1;
    pen.fillStyle = this.ground;
    pen.fillRect(0, 0, this.width, this.height);
    const lit = this.model.lit();
    this.relations(lit);
    this.nodes(lit);
    this.names(lit);
    pen.globalAlpha = 1;
  }

  relations(lit) {
    const { pen, model } = this;
    const focus = model.focus();
    const plain = [new Path2D(), new Path2D(), new Path2D()];
    const near = [new Path2D(), new Path2D(), new Path2D()];
    const arrows = new Path2D(), nearArrows = new Path2D();
    let close = 0;
    for (const relation of model.relations) {
      const { source, target } = relation;
      if (!model.isIn(relation) || !model.shows(model.nodes[source]) || !model.shows(model.nodes[target])) continue;
      const width = relation.strength >= 8 ? 2 : relation.strength >= 5 ? 1 : 0;
      const touches = focus >= 0 && (source === focus || target === focus);
      close += touches;
      this.line((touches ? near : plain)[width], source, target);
      if (touches || this.zoom > 1.2) this.arrow(touches ? nearArrows : arrows, source, target);
    }
    const many = Math.min(1, 24 / Math.sqrt(model.relations.length + 1));
    pen.strokeStyle = pen.fillStyle = this.edge;
    pen.globalAlpha = lit ? 0.12 : 0.2 + 0.45 * many;
    plain.forEach((path, width) => {
      pen.lineWidth = [0.7, 1.2, 2][width] * Math.min(1.5, Math.max(0.6, this.zoom));
      pen.stroke(path);
    });
    pen.fill(arrows);
    const fewer = Math.min(1, Math.sqrt(40 / (close + 1)));
    pen.strokeStyle = pen.fillStyle = this.accent;
    pen.globalAlpha = 0.25 + 0.6 * fewer;
    near.forEach((path, width) => {
      pen.lineWidth = Math.max(0.7, [1, 1.8, 3][width] * fewer);
      pen.stroke(path);
    });
    pen.fill(nearArrows);
  }

  line(path, source, target) {
    const x = this.screenX(source), y = this.screenY(source);
    if (source === target) {
      const r = this.size(source);
      path.moveTo(x + r, y);
      path.arc(x + r * 0.9, y - r * 0.9, r * 0.9, Math.PI / 2, -Math.PI, true);
      return;
    }
    path.moveTo(x, y);
    path.lineTo(this.screenX(target), this.screenY(target));
  }

  arrow(path, source, target) {
    const dx = this.screenX(target) - this.screenX(source), dy = this.screenY(target) - this.screenY(source);
    const length = Math.hypot(dx, dy), r = this.size(target) + 1.5, long = 8;
    if (length < r + long + 4) return;
    const ux = dx / length, uy = dy / length;
    const x = this.screenX(target) - ux * r, y = this.screenY(target) - uy * r;
    path.moveTo(x, y);
    path.lineTo(x - ux * long - uy * 3.6, y - uy * long + ux * 3.6);
    path.lineTo(x - ux * long + uy * 3.6, y - uy * long - ux * 3.6);
    path.closePath();
  }

  nodes(lit) {
    const { pen, model } = this;
    const focus = model.focus();
    for (let i = model.nodes.length - 1; i >= 0; i--) {
      const node = model.nodes[i];
      if (!model.shows(node)) continue;
      const x = this.screenX(i), y = this.screenY(i), r = this.size(i);
      if (x < -r || y < -r || x > this.width + r || y > this.height + r) continue;
      pen.globalAlpha = lit && !lit.has(i) ? 0.18 : 1;
      pen.fillStyle = this.looks[node.look];
      pen.beginPath();
      this.shape(node.look % 5, x, y, r);
      pen.fill();
      pen.lineWidth = i === focus ? 3 : r > 4 ? 1.5 : 0.8;
      pen.strokeStyle = i === focus ? this.ink : this.ground;
      pen.stroke();
    }
  }

  shape(shape, x, y, r) {
    const { pen } = this;
    if (shape === 0) return pen.arc(x, y, r, 0, 2 * Math.PI);
    if (shape === 1) return pen.rect(x - r * 0.88, y - r * 0.88, r * 1.76, r * 1.76);
    const [corners, turn, grown] = { 2: [4, 0, 1.2], 3: [3, -Math.PI / 2, 1.25], 4: [6, 0, 1.05] }[shape];
    for (let c = 0; c < corners; c++) {
      const angle = turn + (2 * Math.PI * c) / corners;
      const go = c ? "lineTo" : "moveTo";
      pen[go](x + r * grown * Math.cos(angle), y + r * grown * Math.sin(angle));
    }
    return pen.closePath();
  }

  // Names, the heaviest first, as many as find room.
  names(lit) {
    const { pen, model } = this;
    const focus = model.focus();
    const taken = this.bodies();
    const least = lit || model.nodes.length <= 80 ? 0 : Drawing.NAMED;
    const order = lit ? [...lit].sort((a, b) => (b === focus) - (a === focus) || a - b) : null;
    let written = 0;
    pen.textAlign = "center";
    pen.textBaseline = "top";
    pen.lineJoin = "round";
    pen.globalAlpha = 1;
    for (let place = 0; place < (order || model.nodes).length && written < Drawing.NAMES; place++) {
      const i = order ? order[place] : place;
      const node = model.nodes[i];
      if (!model.shows(node) || (i !== focus && this.size(i) < least)) continue;
      if (this.name(node, i === focus, taken)) written++;
    }
  }

  // The cells under nodes, with whose they are: no name may cover another's. Of many, only the large ones count.
  bodies() {
    const taken = new Map();
    const least = this.model.nodes.length <= 400 ? 0 : Drawing.LARGE;
    for (const node of this.model.nodes) {
      const i = node.index, r = this.size(i);
      if (r < least || !this.model.shows(node)) continue;
      const x = this.screenX(i), y = this.screenY(i);
      if (x < -r || y < -r || x > this.width + r || y > this.height + r) continue;
      for (const cell of this.claim(x - r, y - r, 2 * r, 2 * r)) taken.set(cell, taken.has(cell) ? -1 : i);
    }
    return taken;
  }

  // Below the node, or where another stands there above it, or beside it.
  name(node, isFocus, taken) {
    const { pen } = this;
    const i = node.index, r = this.size(i);
    let x = this.screenX(i);
    const y = this.screenY(i);
    if (x < -r || y < -r - 20 || x > this.width + r || y > this.height + r) return false;
    const size = isFocus ? 14 : Math.min(14, 10.5 + r / 6);
    const font = `${isFocus || r > 14 ? 600 : 400} ${size}px system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif`;
    pen.font = font;
    const key = font + node.short;
    let width = this.widths.get(key);
    if (width === undefined) this.widths.set(key, (width = pen.measureText(node.short).width));
    const inside = (middle) => Math.max(width / 2 + 4, Math.min(middle, this.width - width / 2 - 4));
    const middle = y - size / 2, beside = r + width / 2 + 5;
    const places = [[inside(x), y + r + 3], [inside(x), y - r - size - 4], [x + beside, middle], [x - beside, middle]]
      .map(([at, top]) => ({ at, top, cells: this.claim(at - width / 2 - 3, top, width + 6, size + 2) }));
    const isFree = (cell) => !taken.has(cell) || taken.get(cell) === i;
    // Those of whom there is most are named all the same, on top of small nodes that nobody looks for.
    const isSmall = (cell) => taken.get(cell) >= 0 && this.size(taken.get(cell)) < Drawing.LARGE;
    const isLess = (cell) => isFree(cell) || isSmall(cell);
    const where = (test) => places.find(({ at, cells }) => at === inside(at) && cells.every(test));
    const free = where(isFree) ?? (i < Drawing.FIRST ? where(isLess) : undefined);
    if (!free && !isFocus) return false;
    const { at, top, cells } = free ?? places[0];
    x = at;
    cells.forEach((cell) => taken.set(cell, -1));
    pen.lineWidth = 3.5;
    pen.strokeStyle = this.ground;
    pen.strokeText(node.short, x, top);
    pen.fillStyle = this.ink;
    pen.fillText(node.short, x, top);
    return true;
  }

  claim(left, top, width, height) {
    const cells = [], side = Drawing.CELL;
    for (let row = Math.floor(top / side); row <= Math.floor((top + height) / side); row++)
      for (let column = Math.floor(left / side); column <= Math.floor((left + width) / side); column++)
        cells.push(row * 65536 + column);
    return cells;
  }
}
