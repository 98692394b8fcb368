// What the browser remembers of the page. A private window may refuse to.
export const memory = {
  get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
  set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* as said */ } },
};
