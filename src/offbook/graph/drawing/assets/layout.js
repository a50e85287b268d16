// Where the nodes stand: a force-directed layout. The same graph gives the same picture.
//
// Nodes repel one another (Barnes and Hut 1986: a far cell of a quadtree counts as one body),
// relations pull like springs, a weak pull to the middle keeps parts together, and no two overlap.
class Layout {
  static START = 1;
  static END = 0.004;
  static TICKS = 280;
  static FAR = 0.9; // a cell counts as one body when its size / distance is below this
  static DEEPEST = 40;

  // sizes: a radius a node, heaviest first; links: [source, target] pairs.
  constructor(sizes, links) {
    const n = (this.count = sizes.length);
    this.x = new Float64Array(n);
    this.y = new Float64Array(n);
    this.vx = new Float64Array(n);
    this.vy = new Float64Array(n);
    this.radius = Float64Array.from(sizes);
    // Few nodes have room to stand further apart.
    const spread = 1 + 3 / Math.sqrt(1 + n / 10);
    this.charge = this.radius.map((r) => 22 * r * spread);
    this.alpha = Layout.START;
    this.floor = 0; // what alpha falls to: above 0 while somebody drags a node
    this.held = -1;
    this.cooling = 1 - Math.pow(Layout.END, 1 / Layout.TICKS);
    for (let i = 0; i < n; i++) {
      // A sunflower: even, without chance, the heaviest in the middle.
      const distance = 14 * Math.sqrt(0.5 + i);
      const angle = i * Math.PI * (3 - Math.sqrt(5));
      this.x[i] = distance * Math.cos(angle);
      this.y[i] = distance * Math.sin(angle);
    }
    this.setLinks(links);
    this.next = new Int32Array(n);
    this.stack = new Int32Array(4 * (Layout.DEEPEST + 2));
    this.room(4 * n + 64);
    this.largest = this.radius.reduce((a, b) => Math.max(a, b), 1);
  }

  get settled() {
    return this.alpha <= Layout.END && this.floor === 0;
  }

  reheat(alpha) {
    this.alpha = Math.max(this.alpha, alpha);
  }

  setLinks(links) {
    const seen = new Set();
    this.links = links.filter(([a, b]) => {
      const key = Math.min(a, b) * this.count + Math.max(a, b);
      return a !== b && !seen.has(key) && seen.add(key);
    });
    const degree = new Float64Array(this.count);
    for (const [a, b] of this.links) {
      degree[a]++;
      degree[b]++;
    }
    this.pull = this.links.map(([a, b]) => 1 / Math.min(degree[a], degree[b]));
    this.bias = this.links.map(([a, b]) => degree[a] / (degree[a] + degree[b]));
    this.rest = this.links.map(
      ([a, b]) => 26 + this.radius[a] + this.radius[b] + 5 * Math.sqrt(Math.min(degree[a], degree[b])),
    );
  }

  tick() {
    this.alpha += (this.floor - this.alpha) * this.cooling;
    if (this.count > 1) {
      this.attract();
      this.plant();
      for (let i = 0; i < this.count; i++) this.repel(i);
    }
    const gravity = 0.055 * this.alpha;
    for (let i = 0; i < this.count; i++) {
      if (i === this.held) {
        this.vx[i] = this.vy[i] = 0;
        continue;
      }
      this.vx[i] = (this.vx[i] - this.x[i] * gravity) * 0.6;
      this.vy[i] = (this.vy[i] - this.y[i] * gravity) * 0.6;
      this.x[i] += this.vx[i];
      this.y[i] += this.vy[i];
    }
    this.separate();
  }

  attract() {
    const { x, y, vx, vy } = this;
    for (let l = 0; l < this.links.length; l++) {
      const [a, b] = this.links[l];
      const dx = x[b] + vx[b] - x[a] - vx[a] || 1e-6;
      const dy = y[b] + vy[b] - y[a] - vy[a] || 1e-6;
      const length = Math.sqrt(dx * dx + dy * dy);
      const force = ((length - this.rest[l]) / length) * this.alpha * this.pull[l];
      vx[b] -= dx * force * this.bias[l];
      vy[b] -= dy * force * this.bias[l];
      vx[a] += dx * force * (1 - this.bias[l]);
      vy[a] += dy * force * (1 - this.bias[l]);
    }
  }

  // -- the quadtree: cells in flat arrays; child -1 is none, below -1 the body -(child + 2) --------

  room(cells) {
    const grown = (old, made) => (old && made.set(old), made);
    this.child = grown(this.child, new Int32Array(4 * cells));
    this.mass = grown(this.mass, new Float64Array(cells));
    this.mx = grown(this.mx, new Float64Array(cells));
    this.my = grown(this.my, new Float64Array(cells));
    this.side = grown(this.side, new Float64Array(cells));
    this.cells = cells;
  }

  cell(side) {
    if (this.used === this.cells) this.room(2 * this.cells);
    const made = this.used++;
    this.child.fill(-1, 4 * made, 4 * made + 4);
    this.mass[made] = this.mx[made] = this.my[made] = 0;
    this.side[made] = side;
    return made;
  }

  plant() {
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    for (let i = 0; i < this.count; i++) {
      left = Math.min(left, this.x[i]);
      right = Math.max(right, this.x[i]);
      top = Math.min(top, this.y[i]);
      bottom = Math.max(bottom, this.y[i]);
    }
    const side = Math.max(right - left, bottom - top, 1) * 1.001;
    this.used = 0;
    this.cell(side);
    for (let i = 0; i < this.count; i++) this.insert(i, left, top, side);
    for (let c = 0; c < this.used; c++) {
      this.mx[c] /= this.mass[c];
      this.my[c] /= this.mass[c];
    }
  }

  weigh(cell, body) {
    this.mass[cell] += this.charge[body];
    this.mx[cell] += this.charge[body] * this.x[body];
    this.my[cell] += this.charge[body] * this.y[body];
  }

  insert(body, left, top, side) {
    const x = this.x[body], y = this.y[body];
    this.next[body] = -1;
    for (let cell = 0, depth = 0; ; depth++) {
      this.weigh(cell, body);
      side /= 2;
      const east = x >= left + side, south = y >= top + side;
      if (east) left += side;
      if (south) top += side;
      const place = 4 * cell + (south ? 2 : 0) + (east ? 1 : 0);
      const found = this.child[place];
      if (found >= 0) {
        cell = found;
        continue;
      }
      const other = -found - 2;
      if (found === -1 || depth >= Layout.DEEPEST) {
        if (found !== -1) this.next[body] = other;
        this.child[place] = -(body + 2);
        return;
      }
      const inner = this.cell(side);
      this.child[place] = inner;
      this.weigh(inner, other);
      const half = side / 2;
      const inEast = this.x[other] >= left + half, inSouth = this.y[other] >= top + half;
      this.child[4 * inner + (inSouth ? 2 : 0) + (inEast ? 1 : 0)] = found;
      cell = inner;
    }
  }

  repel(body) {
    const { stack } = this;
    const { x: xs, y: ys, child, side, mass, mx, my, next, charge } = this;
    const x = xs[body], y = ys[body], far = Layout.FAR * Layout.FAR;
    let fx = 0, fy = 0, top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const cell = stack[--top];
      const dx = mx[cell] - x, dy = my[cell] - y, square = dx * dx + dy * dy;
      if (side[cell] * side[cell] < far * square) {
        const force = mass[cell] / Math.max(square, 30);
        fx -= dx * force;
        fy -= dy * force;
        continue;
      }
      for (let place = 4 * cell; place < 4 * cell + 4; place++) {
        if (child[place] >= 0) {
          stack[top++] = child[place];
          continue;
        }
        for (let other = -child[place] - 2; other >= 0; other = next[other]) {
          if (other === body) continue;
          const dx = xs[other] - x, dy = ys[other] - y;
          const force = charge[other] / Math.max(dx * dx + dy * dy, 30);
          fx -= dx * force;
          fy -= dy * force;
        }
      }
    }
    this.vx[body] += fx * this.alpha;
    this.vy[body] += fy * this.alpha;
  }

  // Push apart what overlaps; a grid finds the pairs.
  separate() {
    const gap = 3, side = 2 * this.largest + gap;
    const grid = new Map();
    for (let i = 0; i < this.count; i++) {
      const column = Math.floor(this.x[i] / side), row = Math.floor(this.y[i] / side);
      for (let r = row - 1; r <= row + 1; r++)
        for (let c = column - 1; c <= column + 1; c++)
          for (const j of grid.get(r * 1048576 + c) || []) this.part(i, j, gap);
      const key = row * 1048576 + column;
      const there = grid.get(key);
      if (there) there.push(i);
      else grid.set(key, [i]);
    }
  }

  part(i, j, gap) {
    const least = this.radius[i] + this.radius[j] + gap;
    let dx = this.x[i] - this.x[j], dy = this.y[i] - this.y[j];
    const square = dx * dx + dy * dy;
    if (square >= least * least) return;
    if (square === 0) dx = 1e-3 * (i + 1), dy = 1e-3;
    const length = Math.sqrt(dx * dx + dy * dy);
    const push = (0.5 * (least - length)) / length;
    const mi = this.radius[i] ** 2, mj = this.radius[j] ** 2;
    const share = i === this.held ? 0 : j === this.held ? 1 : mj / (mi + mj);
    this.x[i] += dx * push * share;
    this.y[i] += dy * push * share;
    this.x[j] -= dx * push * (1 - share);
    this.y[j] -= dy * push * (1 - share);
  }
}
