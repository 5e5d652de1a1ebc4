/** The members of a zip by name, read by a different program than the one that wrote it. */
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';

/** @throws when a checksum is wrong */
export async function unzipped(bytes: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const members = new Map<string, Buffer>();
  const zip = await fromBufferPromise(bytes);
  for await (const entry of zip.eachEntry()) {
    const content = await buffer(await zip.openReadStreamPromise(entry));
    if (crc32(content) !== entry.crc32) throw new Error(`${entry.fileName} has another checksum`);
    members.set(entry.fileName, content);
  }
  return members;
}
