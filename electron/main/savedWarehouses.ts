/**
 * The warehouses that the user has opened in the dialog. Their addresses and accounts are in a file that only the user can
 * read; a password is in memory and, if the user wants it, in that file too, encrypted with a key of the system's keychain.
 */
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SafeStorage } from 'electron';
import { z } from 'zod';
import { refused } from '../../shared/api/errors.ts';
import type { UserWarehouses } from '../host/host.ts';
import { isWarehouseAddress, libraryOfWarehouse } from '../host/libraryPath.ts';
import { printProblem } from '../host/printProblem.ts';
import { type NamedWarehouse, namedWarehouse } from '../warehouse/namedWarehouse.ts';
import type { EnteredWarehouse, FormFields } from './warehouseForm.ts';

const savedWarehouse = z.object({
  address: z.string(),
  user: z.string(),
  authority: z.string(),
  /** Encrypted, base64. Absent: the user did not want it kept. */
  password: z.string().optional(),
});
type SavedWarehouse = z.infer<typeof savedWarehouse>;
type KeptWarehouse = SavedWarehouse & { readonly password: string };

/** Warehouses that are remembered. */
const MOST_SAVED = 50;
const NOTHING: FormFields = { address: '', user: '', authority: '', isKept: false };

type Keychain = Pick<
  SafeStorage,
  'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
>;

export class SavedWarehouses implements UserWarehouses {
  private readonly path: string;
  private readonly keychain: Keychain;
  private readonly platform: NodeJS.Platform;
  /** Most recent first. */
  private saved: readonly SavedWarehouse[];
  /** Warehouses that were named in this session, by the real path of the library that has their copies. */
  private readonly named = new Map<string, NamedWarehouse>();
  /** Passwords by their encrypted text. A keychain may ask its user, so it is asked once. */
  private readonly passwords = new Map<string, Promise<string>>();

  constructor(path: string, keychain: Keychain, platform: NodeJS.Platform = process.platform) {
    this.path = path;
    this.keychain = keychain;
    this.platform = platform;
    this.saved = savedIn(path);
  }

  /** The fields of the warehouse that was opened last. */
  get fields(): FormFields {
    const [last] = this.saved;
    if (last === undefined) return NOTHING;
    const { address, user, authority, password } = last;
    return { address, user, authority, isKept: password !== undefined };
  }

  /** On Linux without a keychain, Electron would encrypt with a key that everybody knows. */
  async canKeep(): Promise<boolean> {
    if (this.platform === 'linux') {
      const backend = this.keychain.getSelectedStorageBackend();
      if (backend === 'basic_text' || backend === 'unknown') return false;
    }
    return this.keychain.isAsyncEncryptionAvailable();
  }

  has(libraryPath: string): boolean {
    return this.named.has(realOf(libraryPath)) || this.kept(libraryPath) !== undefined;
  }

  async of(libraryPath: string): Promise<NamedWarehouse | undefined> {
    const known = this.named.get(realOf(libraryPath));
    if (known !== undefined) return known;
    const kept = this.kept(libraryPath);
    return kept === undefined
      ? undefined
      : warehouseNamed({ ...kept, password: await this.passwordOf(kept) });
  }

  /** Fills in the kept password of the same warehouse and user where none was entered. */
  async withKeptPassword(entered: EnteredWarehouse): Promise<EnteredWarehouse> {
    if (entered.password !== '' || !isWarehouseAddress(entered.address)) return entered;
    const kept = this.kept(libraryOfWarehouse(entered.address));
    if (kept === undefined || kept.user !== entered.user) return entered;
    return { ...entered, password: await this.passwordOf(kept) };
  }

  /** Names a warehouse until the end of the application, whatever was saved before. */
  prefer(libraryPath: string, named: NamedWarehouse): void {
    this.named.set(realOf(libraryPath), named);
  }

  /** Remembers a warehouse that has answered. */
  async add(entered: EnteredWarehouse): Promise<void> {
    const { address, user, authority, password, isKept } = entered;
    const libraryPath = libraryOfWarehouse(address);
    this.prefer(libraryPath, warehouseNamed(entered));
    try {
      const kept =
        isKept && (await this.canKeep())
          ? { password: (await this.keychain.encryptStringAsync(password)).toString('base64') }
          : {};
      // Another start may have added some.
      const others = savedIn(this.path).filter((other) => libraryOfWarehouse(other.address) !== libraryPath);
      this.saved = [{ address, user, authority, ...kept }, ...others].slice(0, MOST_SAVED);
      write(this.path, this.saved);
    } catch (error) {
      printProblem(`the warehouse ${address} was opened and could not be saved: ${String(error)}`);
    }
  }

  private kept(libraryPath: string): KeptWarehouse | undefined {
    const library = realOf(libraryPath);
    const saved = this.saved.find(({ address }) => realOf(libraryOfWarehouse(address)) === library);
    return saved?.password === undefined ? undefined : { ...saved, password: saved.password };
  }

  private async passwordOf({ address, password }: KeptWarehouse): Promise<string> {
    const known = this.passwords.get(password);
    const asked =
      known ?? this.keychain.decryptStringAsync(Buffer.from(password, 'base64')).then(({ result }) => result);
    this.passwords.set(password, asked);
    try {
      return await asked;
    } catch {
      throw refused(`the keychain did not give the password of ${address}; enter it in Open warehouse`);
    }
  }
}

/** Hosts know a library by its real path. A library that is not there yet is in a directory that is. */
function realOf(libraryPath: string): string {
  try {
    return join(realpathSync.native(dirname(libraryPath)), basename(libraryPath));
  } catch {
    return libraryPath;
  }
}

/** @throws ApiError `refused` when the address is invalid, or the authority cannot be read */
export function warehouseNamed(entered: Omit<EnteredWarehouse, 'isKept'>): NamedWarehouse {
  const { address, user, password, authority } = entered;
  const named = namedWarehouse({
    TURNWISE_WAREHOUSE: address,
    TURNWISE_WAREHOUSE_USER: user === '' ? undefined : user,
    TURNWISE_WAREHOUSE_PASSWORD: password,
    TURNWISE_WAREHOUSE_CA: authority === '' ? process.env['TURNWISE_WAREHOUSE_CA'] : authority,
  });
  if (named === undefined) throw new Error('the form has no address');
  return named;
}

function savedIn(path: string): readonly SavedWarehouse[] {
  try {
    const list: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!Array.isArray(list)) return [];
    return list.flatMap((each) => savedWarehouse.safeParse(each).data ?? []);
  } catch {
    return []; // the first time, or a truncated file
  }
}

function write(path: string, saved: readonly SavedWarehouse[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Renamed when it is whole, because a full disk would otherwise empty it.
  rmSync(`${path}.partial`, { force: true });
  writeFileSync(`${path}.partial`, JSON.stringify(saved), { flag: 'wx', mode: 0o600 });
  renameSync(`${path}.partial`, path);
}
