/**
 * Encodes values between the isolated world and Node: CDP carries strings, Electron's IPC structured clones.
 * Self-contained, because its source also runs inside the page.
 */
export interface Wire {
  pack(value: unknown): string;
  unpack(text: string): unknown;
}

export function createWire(): Wire {
  const TYPED = { Float32Array, Float64Array, Int32Array, Uint32Array, Uint8Array } as const;
  type TypedName = keyof typeof TYPED;

  function toBase64(bytes: Uint8Array): string {
    let binary = '';
    // Spreading a whole array would overflow the stack.
    for (let i = 0; i < bytes.length; i += 32_768)
      binary += String.fromCharCode(...bytes.subarray(i, i + 32_768));
    return btoa(binary);
  }

  function tag(value: unknown): unknown {
    if (value === undefined) return { $: 'undefined' };
    if (typeof value === 'number')
      return Number.isFinite(value) ? value : { $: 'number', text: String(value) };
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(tag);
    const name = Object.prototype.toString.call(value).slice(8, -1);
    if (Object.hasOwn(TYPED, name)) {
      const view = value as Uint8Array;
      return { $: name, text: toBase64(new Uint8Array(view.buffer, view.byteOffset, view.byteLength)) };
    }
    if (name !== 'Object') throw new TypeError(`the double's IPC does not carry a ${name}`);
    return { $: 'Object', entries: Object.entries(value).map(([key, each]) => [key, tag(each)]) };
  }

  function untag(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(untag);
    const tagged = value as { $: string; text: string; entries: [string, unknown][] };
    if (tagged.$ === 'undefined') return undefined;
    if (tagged.$ === 'number') return Number(tagged.text);
    if (tagged.$ === 'Object')
      return Object.fromEntries(tagged.entries.map(([key, each]) => [key, untag(each)]));
    const bytes = Uint8Array.from(atob(tagged.text), (char) => char.charCodeAt(0));
    return new TYPED[tagged.$ as TypedName](bytes.buffer);
  }

  return {
    pack: (value) => JSON.stringify(tag(value)),
    unpack: (text) => untag(JSON.parse(text)),
  };
}
