// What hands do on the canvas: drag, pinch, wheel, click, keys.
class Gestures {
  static STILL = 4; // a pointer that moves less than this many pixels clicks

  // page: { select(index, focused, near), hover(index, x, y), hold(index), drag(index, x, y), drop(), changed() }
  constructor(canvas, drawing, page) {
    Object.assign(this, { canvas, drawing, page });
    this.pointers = new Map();
    this.travelled = 0;
    this.held = -1;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.up(event, true));
    canvas.addEventListener("pointerleave", () => page.hover(-1));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  down(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    const place = this.place(event);
    this.pointers.set(event.pointerId, place);
    if (this.pointers.size > 1) {
      this.release();
      this.travelled = Infinity;
      return;
    }
    this.travelled = 0;
    this.started = place;
    this.under = this.drawing.at(place.x, place.y);
  }

  move(event) {
    const place = this.place(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== "touch") this.page.hover(this.drawing.at(place.x, place.y), place.x, place.y);
      return;
    }
    if (this.pointers.size === 2) this.pinch(event.pointerId, before, place);
    this.pointers.set(event.pointerId, place);
    if (this.pointers.size > 1) return;
    this.travelled = Math.max(this.travelled, Math.hypot(place.x - this.started.x, place.y - this.started.y));
    if (this.travelled < Gestures.STILL) return;
    this.canvas.classList.add("held");
    this.page.hover(-1);
    if (this.under >= 0) {
      if (this.held < 0) this.page.hold((this.held = this.under));
      this.page.drag(this.held, place.x, place.y);
    } else {
      this.drawing.pan(place.x - before.x, place.y - before.y);
      this.page.changed();
    }
  }

  pinch(id, before, after) {
    const [other] = [...this.pointers].filter(([key]) => key !== id).map(([, place]) => place);
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const is = Math.hypot(after.x - other.x, after.y - other.y);
    this.drawing.pan((after.x - before.x) / 2, (after.y - before.y) / 2);
    if (was > 0) this.drawing.zoomBy(is / was, (after.x + other.x) / 2, (after.y + other.y) / 2);
    this.page.changed();
  }

  up(event, cancelled = false) {
    if (!this.pointers.delete(event.pointerId)) return;
    const still = this.travelled < Gestures.STILL;
    this.release();
    if (still && !cancelled) this.page.select(this.under, false, true);
  }

  release() {
    this.canvas.classList.remove("held");
    if (this.held >= 0) this.page.drop();
    this.held = -1;
  }

  wheel(event) {
    event.preventDefault();
    const { x, y } = this.place(event);
    const lines = event.deltaMode === 1 ? 16 : 1;
    this.drawing.zoomBy(Math.exp((-event.deltaY * lines) / 500), x, y);
    this.page.changed();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 60;
    const act = {
      ArrowLeft: () => this.drawing.pan(step, 0),
      ArrowRight: () => this.drawing.pan(-step, 0),
      ArrowUp: () => this.drawing.pan(0, step),
      ArrowDown: () => this.drawing.pan(0, -step),
      "+": () => this.drawing.zoomBy(1.3),
      "=": () => this.drawing.zoomBy(1.3),
      "-": () => this.drawing.zoomBy(1 / 1.3),
      0: () => (this.drawing.moved = false),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
    this.page.changed();
  }
}
