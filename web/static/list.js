// Lists that are drawn anew with every change.

// redraw replaces the content of a list. If one of its buttons has the focus, the new button with
// the same data-KEY gets it; for a person at the keyboard the first one, if there is no such.
export function redraw(list, content, key) {
  const focused = document.activeElement;
  const old = list.contains(focused) ? focused.closest("button") : null;
  const byKeyboard = old?.matches(":focus-visible");
  list.replaceChildren(...content);
  if (!old) return;
  const buttons = [...list.querySelectorAll("button")];
  const next = buttons.find((b) => b.dataset[key] === old.dataset[key]) ?? (byKeyboard ? buttons[0] : null);
  next?.focus({ preventScroll: true });
}

// fill gives a select element its options, each a value and a text. The chosen one stays chosen if
// it is among them.
export function fill(select, options) {
  const value = select.value;
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  if (options.some(([v]) => v === value)) select.value = value;
}
