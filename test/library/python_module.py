"""python_module.py - the Python module against the headers, and against the program.

Oracles: the public headers, as cffi reads them, for every prototype and struct; the program's --json
for every figure; plain Python for what sets of arrays, matrices and graphs hold. MESHCAST_LIBRARY names the
library and MESHCAST the program. With --plain the module must do without numpy and all that needs it: the tests
whose names end in _arrays are left out.
"""

import ctypes
import glob
import json
import os
from pathlib import Path
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

PLAIN = "--plain" in sys.argv
if PLAIN:
    sys.argv.remove("--plain")
    for name in ("numpy", "scipy", "pandas", "networkx"):
        sys.modules[name] = None
sys.path.insert(0, "python")

import meshcast  # noqa: E402

PROGRAM = os.environ.get("MESHCAST", "./meshcast")


def program(*arguments):
    """The JSON that the program prints."""
    run = subprocess.run([PROGRAM, *map(str, arguments), "--json", "--quiet"], capture_output=True, text=True)
    return json.loads(run.stdout)


# ---- the table of prototypes ----


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def plain_header(path):
    """A header without what cffi does not read: the preprocessor's lines, and what is for C++."""
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", read(path), flags=re.S)
    return re.sub(r"^(#.*$|MESHCAST_PLUGIN )", "", re.sub(r"\\\n", "", text), flags=re.M)


def read_headers():
    import cffi
    ffi = cffi.FFI()
    paths = sorted(glob.glob("library/meshcast*.h"), key=lambda path: (includes(path), path))
    ffi.cdef("\n".join(plain_header(path) for path in paths))
    return ffi


def includes(path):
    """How many headers stand before it."""
    found = re.search(r'^#include "(meshcast\w*\.h)"', read(path), flags=re.M)
    return 0 if found is None else 1 + includes("library/" + found[1])


PRIMITIVES = {
    "uint8_t": ctypes.c_uint8, "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t, "_Bool": ctypes.c_bool, "double": ctypes.c_double, "unsigned int": ctypes.c_uint,
    "char": ctypes.c_char,
}


def struct_name(ctype):
    return ctype.cname.removeprefix("struct meshcast_")


def is_same(ctype, python):
    """Whether a type of the headers is that of the table."""
    if ctype.kind == "void":
        return python is None
    if ctype.kind == "primitive":
        return python is PRIMITIVES[ctype.cname]
    if ctype.kind == "enum":
        return python is ctypes.c_uint
    if ctype.kind == "struct":
        return python is meshcast._STRUCTS.get(struct_name(ctype))
    if ctype.kind == "array":
        return python is PRIMITIVES[ctype.item.cname] * ctype.length
    if ctype.kind == "function":
        return is_same_call(ctype, python._restype_, python._argtypes_)
    assert ctype.kind == "pointer", ctype
    if ctype.item.kind == "void":
        return python is ctypes.c_void_p
    if ctype.item.cname == "char":
        return python is ctypes.c_char_p
    if python is ctypes.c_void_p:  # to anything but text and functions
        return ctype.item.kind != "function"
    return issubclass(python, ctypes._Pointer) and is_same(ctype.item, python._type_)


def is_same_call(ctype, result, arguments):
    return (is_same(ctype.result, result) and len(ctype.args) == len(arguments) and
            all(map(is_same, ctype.args, arguments)))


class Headers(unittest.TestCase):
    """What the module says of the library is what the headers say."""

    @classmethod
    def setUpClass(cls):
        cls.ffi = read_headers()
        cls.loaded = cls.ffi.dlopen(os.environ["MESHCAST_LIBRARY"])

    def functions(self):
        """The names of the functions, without "meshcast_"."""
        text = "\n".join(plain_header(path) for path in glob.glob("library/meshcast*.h"))
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        return set(re.findall(r"meshcast_(\w+)\(", text))

    def test_prototypes(self):
        self.assertGreater(len(meshcast._SIGNATURE), 40)
        self.assertEqual(set(meshcast._SIGNATURE) - self.functions(), set(), "functions of the table that no header has")
        for name in meshcast._SIGNATURE:
            ctype = self.ffi.typeof(getattr(self.loaded, "meshcast_" + name))
            self.assertTrue(is_same_call(ctype, *meshcast._types(name)), f"{name}: {ctype.cname}")

    def test_structs(self):
        fields = 0
        for name, python in meshcast._STRUCTS.items():
            ctype = self.ffi.typeof("struct meshcast_" + name)
            self.assertEqual([field for field, _ in ctype.fields], [field for field, _ in python._fields_], name)
            self.assertEqual(self.ffi.sizeof(ctype), ctypes.sizeof(python), name)
            for (field, there), (_, here) in zip(ctype.fields, python._fields_):
                self.assertTrue(is_same(there.type, here), f"{name}.{field}")
                self.assertEqual(there.offset, getattr(python, field).offset, f"{name}.{field}")
                fields += 1
        self.assertEqual(fields, 9)


class Library(unittest.TestCase):
    """The module finds its library, or says where it looks."""

    def load(self, path):
        environment = dict(os.environ, PYTHONPATH="python", MESHCAST_LIBRARY=path)
        return subprocess.run([sys.executable, "-c", "import meshcast; print(meshcast.version())"], text=True,
                              capture_output=True, env=environment)

    def test_folder(self):
        run = self.load(os.path.dirname(os.environ["MESHCAST_LIBRARY"]))
        self.assertEqual((run.stdout.strip(), run.returncode), (meshcast.version(), 0), run.stderr)

    def test_nowhere(self):
        run = self.load("/nowhere/lib.so")
        self.assertRegex(run.stderr, "ImportError: cannot load .*/nowhere/lib.so.*MESHCAST_LIBRARY")


    def test_planted(self):
        """A library in a folder above the module is not loaded, unless it is that of a checkout of the same owner."""
        with tempfile.TemporaryDirectory() as folder:
            own = os.path.join(folder, "a", "b", "python")
            os.makedirs(own)
            shutil.copy("python/meshcast.py", own)
            for place in (folder, os.path.join(folder, "a"), os.path.join(folder, "a", "b"), own):
                with open(os.path.join(place, "libmeshcast.so.0"), "w", encoding="ascii") as file:
                    file.write("planted")
            environment = {name: value for name, value in os.environ.items() if name != "MESHCAST_LIBRARY"}
            command = [sys.executable, "-c", "import meshcast; print(meshcast.version())"]
            run = subprocess.run(command, text=True, capture_output=True, cwd=own,
                                 env=dict(environment, PYTHONPATH=own))
            self.assertNotIn("ELF", run.stderr)
            build = os.path.join(folder, "a", "b", "build", "threads")
            os.makedirs(build)
            shutil.copy(os.path.join(own, "libmeshcast.so.0"), build)
            run = subprocess.run(command, text=True, capture_output=True, cwd=own,
                                 env=dict(environment, PYTHONPATH=own))
            self.assertIn(build, run.stderr)


class Hostile(unittest.TestCase):
    """Values that a keyword cannot have are refused by its name; None is the default."""

    @classmethod
    def setUpClass(cls):
        cls.traffic = meshcast.Set.generate("uniform", side=4)

    NUMBERS = [0, -1, 2**70, float("nan"), float("inf"), 1.5, True, "", "x", [], (1, 2, 3), object()]
    FLAGS = ["no", 2, float("nan"), [], object()]
    TEXTS = [5, True, [], object()]

    def refused(self, name, values, call):
        call(None)
        for value in values:
            with self.subTest(name=name, value=value):
                with self.assertRaisesRegex((meshcast.UsageError, TypeError), name):
                    call(value)

    def each(self, function, arguments, names, values, **others):
        for name in names:
            self.refused(name, values, lambda value: function(*arguments, **{**others, name: value}))

    def test_numbers(self):
        traffic = self.traffic
        self.each(meshcast.route, (traffic, "trees"), ("buffer", "threads"), self.NUMBERS)
        self.each(meshcast.compare, (traffic, ["trees"]), ("buffer", "threads"), self.NUMBERS)
        self.each(meshcast.stress, (traffic, "trees"), ("threads",), self.NUMBERS)
        self.each(meshcast.stress, (traffic, "trees"), ("points",), self.NUMBERS + [1])
        self.each(meshcast.best, (traffic, ["trees"]), ("threads",), self.NUMBERS)
        self.each(meshcast.kernel, ("sort", 4), ("tiles", "k", "buffer", "threads"), self.NUMBERS)
        self.each(meshcast.kernel, ("sort", 4), ("load",), [value for value in self.NUMBERS if value is not True])
        self.each(meshcast.search, ("trees",), ("congestion", "per_node", "threads"), self.NUMBERS, side=4, tries=2)
        self.each(meshcast.network, (traffic, "unicast"),
                  ("flits", "sources", "vcs", "buffer", "injection", "consumption", "threads"), self.NUMBERS)
        self.each(meshcast.plan, (traffic, "unicast"), ("sources",), self.NUMBERS)
        self.each(meshcast.load, ("mesh:4x4", "unicast", 0.01), ("warmup", "runs", "vcs"), self.NUMBERS, measure=20)
        self.each(meshcast.Set.generate, ("uniform",), ("degree", "congestion", "per_node"), self.NUMBERS, side=4)
        for function, arguments in ((meshcast.route, (traffic, "trees")), (meshcast.plan, (traffic, "unicast"))):
            self.each(function, arguments, ("seed",), self.NUMBERS[1:])
            function(*arguments, seed=0)
        for rate in (0, -1, 2, float("nan"), True, [0.1, 0], [], None):
            with self.assertRaisesRegex((meshcast.UsageError, TypeError), "rate"):
                meshcast.load("mesh:4x4", "unicast", rate)
        for share in (0, -1, 2, float("nan"), True, []):
            with self.assertRaisesRegex(meshcast.UsageError, "multicast_share"):
                meshcast.load("mesh:4x4", "unicast", 0.1, destinations=2, multicast_share=share)

    def test_flags(self):
        traffic = self.traffic
        self.each(meshcast.route, (traffic, "trees"), ("unknown_congestion", "reduce"), self.FLAGS)
        self.each(meshcast.stress, (traffic, "trees"), ("exhaustive",), self.FLAGS)
        self.each(meshcast.load, ("mesh:4x4", "unicast", 0.01), ("finite", "saturation"), self.FLAGS, measure=20)
        self.each(meshcast.Set.from_scipy, ([[1, 0], [0, 1]],), ("no_diagonal",), self.FLAGS)
        self.assertIsNone(meshcast.route(traffic, "trees", reduce=False).reduce)

    def test_texts(self):
        with tempfile.TemporaryDirectory() as folder:
            whole = os.path.join(folder, "whole")
            self.traffic.write(whole)
            for call in (self.traffic.write, meshcast.Set.read, meshcast.Set.from_file, meshcast.Expander.read,
                         meshcast.Topology, meshcast.Router, lambda path: meshcast.route(self.traffic, "trees", trace=path),
                         lambda path: meshcast.network(self.traffic, "unicast", trace=path)):
                with self.assertRaisesRegex(meshcast.UsageError, "NUL"):
                    call(whole + "\0/cut")
            self.assertEqual(meshcast.Set.read(whole).deliveries, self.traffic.deliveries)
        self.each(meshcast.kernel, ("sort", 4), ("method", "pattern"), self.TEXTS)
        self.each(meshcast.route, (self.traffic, "trees"), ("copy",), self.TEXTS + ["", "cheap"])

    def test_kinds(self):
        for call in (lambda one: meshcast.route(one, "trees"), meshcast.compare, meshcast.best,
                     lambda one: meshcast.stress(one, "trees"), lambda one: meshcast.plan(one, "unicast"),
                     lambda one: meshcast.network(one, "unicast"),
                     lambda one: meshcast.search("trees", side=4, tries=1, sets=[one])):
            for one in (None, 5, "uniform"):
                with self.assertRaisesRegex(TypeError, "meshcast.Set, not"):
                    call(one)
        for routers in ([], (), iter(())):
            with self.assertRaisesRegex(meshcast.UsageError, "routers is empty"):
                meshcast.compare(self.traffic, routers)
        for routers in ("trees", 5, [None], [5]):
            with self.assertRaisesRegex(TypeError, "router"):
                meshcast.best(self.traffic, routers)
        self.assertEqual([row.router for row in meshcast.compare(self.traffic, (name for name in ["trees"]))], ["trees"])
        with self.assertRaisesRegex(TypeError, "progress is a function"):
            meshcast.route(self.traffic, "trees", progress=5)

    def test_words(self):
        """Texts name keywords, not options of the program."""
        for call in (lambda: meshcast.network(self.traffic, "unicast", switching="cut-through", flits=9, buffer=2),
                     lambda: meshcast.Set.generate("uniform", side=4, experts=2),
                     lambda: meshcast.Set.generate("uniform", side=4, active=0.5),
                     lambda: meshcast.route(self.traffic, "trees", reduce=True, tree="spread")):
            with self.assertRaises(meshcast.UsageError) as caught:
                call()
            self.assertNotIn("--", str(caught.exception))

    def test_masks_arrays(self):
        import numpy
        masked = numpy.ma.array([0, 1, 2], mask=[False, True, False])
        whole = numpy.ma.array([0, 1, 2])
        for call in (lambda one: meshcast.Set.from_arrays(one, [1, 2, 3], side=2),
                     lambda one: meshcast.Set.from_arrays([1, 2, 3], one, side=2),
                     lambda one: meshcast.Topology.from_edges(one, [1, 2, 3]),
                     lambda one: meshcast.Set.from_scipy(one.reshape(1, 3))):
            with self.assertRaisesRegex(meshcast.UsageError, "masked entries"):
                call(masked)
            call(whole)


# ---- sets ----


def plain(values):
    """Lists and numbers of Python of what may be arrays."""
    if isinstance(values, (list, tuple)):
        return [plain(value) for value in values]
    return values.tolist() if hasattr(values, "tolist") else values


def contents(traffic):
    return [(message.source, plain(message.destinations)) for message in traffic]


class Folder(unittest.TestCase):
    """Tests with a folder of their own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)


class Sets(Folder):
    """Sets hold what they were made of."""

    def test_pairs(self):
        traffic = meshcast.Set.from_arrays([5, 0, 5, 5, 0], [1, 2, 0, 1, 0], rows=2, cols=3)
        self.assertEqual(contents(traffic), [(0, [0, 2]), (5, [0, 1])])
        self.assertEqual((traffic.rows, traffic.cols, traffic.nodes, len(traffic)), (2, 3, 6, 2))
        self.assertEqual((traffic.deliveries, traffic.degree, traffic.congestion), (3, 2, 1))
        self.assertEqual((traffic.messages_at_home, traffic.deliveries_at_home), (0, 1))
        self.assertEqual((traffic.messages_per_node, traffic.topology, traffic.is_routable), (1, "mesh:2x3", True))
        self.assertEqual(traffic[-1], traffic[1]) if PLAIN else None
        self.assertEqual(plain(traffic.to_arrays()), [[0, 5], [0, 2, 4], [0, 2, 0, 1]])
        with self.assertRaises(IndexError):
            traffic[2]

    def test_messages(self):
        traffic = meshcast.Set.from_arrays([3, 3, 1], [0, 2, 1, 3], offsets=[0, 2, 3, 4], side=2)
        self.assertEqual(contents(traffic), [(3, [0, 2]), (3, [1]), (1, [3])])
        self.assertEqual(traffic.messages_per_node, 2)
        ring = meshcast.Set.from_arrays([7, 1, 7], [5, 1, 0], topology="torus:2x2x2")  # pairs
        self.assertEqual((ring.topology, contents(ring)), ("torus:2x2x2", [(1, [1]), (7, [0, 5])]))
        with self.assertRaisesRegex(meshcast.UsageError, "nodes are 0 to 7"):
            meshcast.Set.from_arrays([8], [0], topology="torus:2x2x2")
        torus = meshcast.Set.from_arrays([7], [0, 5], offsets=[0, 2], flits=[9], topology="torus:2x2x2")
        self.assertEqual((torus.topology, torus.nodes, torus.is_routable), ("torus:2x2x2", 8, False))

    def test_files(self):
        traffic = meshcast.Set.generate("uniform", rows=6, cols=5, degree=3, seed=4)
        path = self.path("set")
        subprocess.run([PROGRAM, "gen", "--rows", "6", "--cols", "5", "--pattern", "uniform", "--degree", "3", "--seed",
                        "4", "-o", path], check=True)
        self.assertEqual(contents(meshcast.Set.read(path)), contents(traffic))
        traffic.write(path, "a comment")
        self.assertEqual(contents(meshcast.Set.read(path)), contents(traffic))
        self.assertIn(b"# a comment", open(path, "rb").read())
        self.assertEqual(contents(pickle.loads(pickle.dumps(traffic))), contents(traffic))
        for other in meshcast.Topology("mesh:2x2"), meshcast.Router("trees"):
            with self.assertRaises(ValueError):  # a pointer means nothing elsewhere
                pickle.dumps(other)

    def test_generated(self):
        several = meshcast.Set.generate("alltoall", side=4, groups=4)
        self.assertEqual((len(several), several.messages_per_node), (48, 3))
        many = meshcast.Set.generate("uniform", side=4, degree=2, per_node=3)
        self.assertEqual(many.messages_per_node, 3)
        path = self.path("set")
        for options in ({"pattern": "moe", "per_node": 2, "experts": 5, "place": "block", "skew": 0.5, "seed": 3},
                        {"pattern": "populations", "per_node": 1300, "matrix": "doc/microcircuit.txt",
                         "active": 0.01}):
            words = [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), str(value))]
            subprocess.run([PROGRAM, "gen", "--side", "8", *words, "-o", path], check=True)
            made = meshcast.Set.generate(side=8, **options)
            self.assertEqual(contents(made), contents(meshcast.Set.read(path)), options)
        cube = meshcast.Set.generate("uniform", topology="mesh:3x3x3", degree=2)
        self.assertEqual((cube.topology, cube.degree), ("mesh:3x3x3", 2))

    def test_matrix(self):
        dense = [[1, 0, 2], [0, 0, 1], [3, 0, 0], [0, 5, 0]]
        path = self.path("matrix.mtx")
        with open(path, "w", encoding="utf-8") as file:
            file.write("%%MatrixMarket matrix coordinate pattern general\n4 3 5\n1 1\n1 3\n2 3\n3 1\n4 2\n")
        torus = meshcast.Topology("torus:2x3")
        for how in (dict(), dict(side=3, map="snake"), dict(map="random", seed=5, no_diagonal=True), dict(per_node=2),
                    dict(rows=1, cols=4), dict(rows=2, cols=3, map="hilbert"), dict(topology="mesh:2x2x2", map="snake"),
                    dict(topology=torus)):
            made, read = meshcast.Set.from_scipy(dense, **how), meshcast.Set.from_file(path, **how)
            self.assertEqual(contents(made), contents(read), how)
            self.assertEqual(made.topology, read.topology, how)
        self.assertEqual(made.topology, "torus:2x3")
        for how, text in ((dict(side=2, rows=2, cols=2), "give one"), (dict(side=2, topology=torus), "a topology is given"),
                          (dict(rows=4), "missing cols"), (dict(rows=1, cols=3), "mesh:1x3 has room for 3 of 4"),
                          (dict(topology="mesh:2x2x2", map="hilbert"), "the order hilbert")):
            for make, given in ((meshcast.Set.from_scipy, dense), (meshcast.Set.from_file, path)):
                with self.assertRaisesRegex(meshcast.UsageError, text):
                    make(given, **how)
        traffic = meshcast.Set.from_scipy(dense)
        self.assertEqual(contents(traffic), [(0, [0, 2]), (1, [3]), (2, [0, 1])])

    def test_lists_of_edges(self):
        path = self.path("edges.txt")
        Path(path).write_text("3 2\n0 1\n1 2\n", encoding="utf-8")
        self.assertEqual(contents(meshcast.Set.from_file(path)), [(0, [1]), (1, [2])])
        self.assertEqual(contents(meshcast.Set.from_file(path, symmetric=True)), [(0, [1]), (1, [0, 2]), (2, [1])])
        self.assertEqual(contents(meshcast.Set.from_file(path, header="no")), [(0, [1]), (1, [2]), (3, [2])])
        Path(path).write_text("x y\ny z\n", encoding="utf-8")
        self.assertEqual(contents(meshcast.Set.from_file(path, header="yes", format="edges")), [(0, [1])])
        Path(path).write_text("2 3\n0 1\n1 2\n", encoding="utf-8")
        made = meshcast.Set.from_file(path, format="hgr", base=0)
        self.assertEqual(contents(made), [(0, [1]), (1, [2])])
        with self.assertRaisesRegex(meshcast.UsageError, "value of base '2'"):
            meshcast.Set.from_file(path, base=2)

    def test_lengths(self):
        dense = [[7, 0, 2], [0, 0, 2], [7, 0, 0], [0, 5, 9]]
        path = self.path("matrix.mtx")
        with open(path, "w", encoding="utf-8") as file:
            file.write("%%MatrixMarket matrix coordinate integer general\n4 3 6\n"
                       "1 1 7\n1 3 2\n2 3 2\n3 1 7\n4 2 5\n4 3 9\n")
        for how in (dict(weights="flits"), dict(weights="bytes", flit_bytes=2), dict(bytes=9, flit_bytes=4),
                    dict(pack="pairs", per_node=2), dict(weights="flits", pack="destinations", per_node=4)):
            made, read = meshcast.Set.from_scipy(dense, **how), meshcast.Set.from_file(path, **how)
            self.assertEqual((contents(made), made.flits), (contents(read), read.flits), how)
        weighted = meshcast.Set.from_scipy(dense, weights="flits")
        self.assertEqual(contents(weighted), [(0, [0, 2]), (1, [3]), (2, [0, 1]), (2, [3])])
        self.assertEqual(weighted.flits, [7, 5, 2, 9])
        self.assertEqual(weighted.with_volume(bytes=33, flit_bytes=16).flits, [4, 4, 4, 4])
        packed = meshcast.Set.from_arrays([0, 0, 1], [2, 3, 2, 3, 0], offsets=[0, 2, 4, 5], side=2, flits=[3, 4, 5])
        self.assertEqual((contents(packed.with_volume(pack="destinations")), packed.with_volume(
            pack="destinations").flits), ([(0, [2, 3]), (1, [0])], [7, 5]))
        for wrong in (dict(bytes=3), dict(flit_bytes=3), dict(bytes=0, flit_bytes=3), dict(pack="all")):
            with self.assertRaises(meshcast.UsageError):
                packed.with_volume(**wrong)
        with self.assertRaises(meshcast.UsageError):
            meshcast.Set.from_scipy([[0.5]], weights="flits")

    def test_layers(self):
        path = self.path("log.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"layer":0,"topk_ids":[[1],[0,2]]}\n{"layer":4,"topk_ids":[[2],[3]]}\n')
        how = dict(experts=4, side=2)
        self.assertEqual(contents(meshcast.Set.from_file(path, layer=0, **how)), [(0, [1]), (1, [0, 2])])
        self.assertEqual(contents(meshcast.Set.from_file(path, layer=4, **how)), [(0, [2]), (1, [3])])
        for layer, text in (None, "2 layers, 0, 4"), (3, "no layer 3"), (-1, "layer"):
            with self.assertRaisesRegex(meshcast.UsageError, text):
                meshcast.Set.from_file(path, layer=layer, **how)

    def test_placed(self):
        experts, groups, log = self.path("experts"), self.path("groups"), self.path("log.jsonl")
        for path, text in ((experts, "0 15\n6\n"), (groups, "5 0\n# none\n1 2 9\n"),
                           (log, '{"topk_ids":[0]}\n{"topk_ids":[1,0]}\n')):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        placed = meshcast.Set.from_file(log, place=experts, per_node=1, side=4, map="row")
        self.assertEqual(contents(placed), [(0, [0]), (1, [0, 6])])
        drawn = meshcast.Set.generate("moe", side=4, place=experts, degree=1)
        self.assertEqual({to for _, ends in drawn for to in ends}, {0, 6, 15})
        grouped = meshcast.Set.generate("allgather", side=4, groups=groups)
        self.assertEqual(contents(grouped), [(0, [5]), (1, [2, 9]), (2, [1, 9]), (5, [0]), (9, [1, 2])])
        columns = meshcast.Set.generate("allgather", side=4, groups=4, stride=4)
        self.assertEqual(contents(columns)[1], (1, [5, 9, 13]))
        with self.assertRaisesRegex(meshcast.InputError, "groups:3: expected a node of mesh:3x3, 0 to 8, found 9"):
            meshcast.Set.generate("alltoall", side=3, groups=groups)
        with self.assertRaisesRegex(meshcast.UsageError, "stride needs groups"):
            meshcast.Set.generate("alltoall", side=3, stride=3)

    def test_scipy_arrays(self):
        import numpy
        from scipy import sparse
        matrix = sparse.random(60, 50, density=0.1, random_state=3, format="csr")
        matrix.data[0] = 0  # an explicit zero counts
        traffic = meshcast.Set.from_scipy(matrix, map="hilbert", per_node=2, side=6)
        path = self.path("matrix.mtx")
        from scipy.io import mmwrite
        mmwrite(path, matrix)
        self.assertEqual(contents(traffic), contents(meshcast.Set.from_file(path, map="hilbert", per_node=2, side=6)))
        plain_set = meshcast.Set.from_scipy(matrix)
        back = plain_set.to_scipy()
        present = numpy.zeros((64, 50), dtype=bool)
        coo = matrix.tocoo()
        present[coo.row, coo.col] = True
        columns = [message.source for message in plain_set]
        self.assertTrue((present[:, columns] == back.toarray().astype(bool)).all())

    def test_networkx_arrays(self):
        import networkx
        graph = networkx.gnp_random_graph(20, 0.2, seed=2)
        traffic = meshcast.Set.from_networkx(graph)
        self.assertEqual(contents(traffic), [(v, sorted(graph[v])) for v in sorted(graph) if graph[v]])
        directed = networkx.DiGraph([("a", "b"), ("c", "b"), ("b", "b")])  # a, b, c are 0, 1, 2
        self.assertEqual(contents(meshcast.Set.from_networkx(directed)), [(0, [1]), (1, [1]), (2, [1])])
        self.assertEqual(contents(meshcast.Set.from_networkx(directed, no_diagonal=True)), [(0, [1]), (2, [1])])
        grid = networkx.grid_2d_graph(3, 5)  # vertices in row order
        on_rectangle = meshcast.Set.from_networkx(grid, rows=3, cols=5)
        self.assertEqual((on_rectangle.rows, on_rectangle.cols), (3, 5))
        for source, destinations in on_rectangle:
            near = [abs(source // 5 - to // 5) + abs(source % 5 - to % 5) for to in map(int, destinations)]
            self.assertEqual(set(near), {1})

    def test_place(self):
        matrix, part = "test/data/west0479.mtx", self.path("part")
        placed = meshcast.place(matrix, side=8, per_node=8, moves=2000, output=part)
        traffic = meshcast.Set.from_file(matrix, side=8, part=part)
        self.assertEqual(meshcast.plan(traffic, "vh").traffic, placed.placements[-1].hops)
        broken = self.path("broken")
        with open(broken, "w", encoding="utf-8") as file:
            file.write("node 3\nlink 17 18\n")
        for part in (part, None):  # placed, and in the order of the nodes that remain
            placed = meshcast.place(matrix, side=22, without=broken, per_node=1, moves=2000, output=part)
            traffic = meshcast.Set.from_file(matrix, side=22, without=broken, **({"part": part} if part else {}))
            hops = placed.placements[-1 if part else 0].hops
            planned = meshcast.plan(traffic, "vh", without=broken, param="paths=up-down")
            self.assertEqual(planned.traffic, hops)

    def test_errors(self):
        bad = self.path("bad")
        with open(bad, "w", encoding="utf-8") as file:
            file.write("mcast 1 2 2\n0 1\n0 x\n")
        with self.assertRaisesRegex(meshcast.InputError, re.escape(bad) + ":3: expected"):
            meshcast.Set.read(bad)
        with self.assertRaisesRegex(meshcast.SystemFailure, "/nowhere"):
            meshcast.Set.read("/nowhere")
        with self.assertRaisesRegex(meshcast.UsageError, "did you mean 'uniform'"):
            meshcast.Set.generate("unifrom", side=2)
        with self.assertRaisesRegex(ValueError, "rows takes a whole number from 1 to 32768"):
            meshcast.Set.generate("uniform", rows=40000, cols=2)
        with self.assertRaisesRegex(meshcast.UsageError, "pair 1 goes from node 9 to node 0"):
            meshcast.Set.from_arrays([0, 9], [1, 0], side=2)
        for sources in ([-1], [2**32], [0.5], ["a"]):
            with self.assertRaisesRegex(meshcast.UsageError, "sources"):
                meshcast.Set.from_arrays(sources, [1], side=2)
        with self.assertRaisesRegex(meshcast.UsageError, "2 sources and 1 destinations"):
            meshcast.Set.from_arrays([0, 1], [1], side=2)
        with self.assertRaisesRegex(meshcast.UsageError, "offsets ascend"):
            meshcast.Set.from_arrays([0], [1], offsets=[0, 2], side=2)
        with self.assertRaisesRegex(meshcast.UsageError, "a mesh has a side"):
            meshcast.Set.from_arrays([0], [1], side=3, rows=3)
        with self.assertRaisesRegex(meshcast.UsageError, "experts takes a whole number from 1 to 1048576"):
            meshcast.Set.generate("moe", side=4, experts=2**20 + 1)
        with self.assertRaises(TypeError):
            meshcast.Set()

    def test_none(self):
        """What the library takes no NULL for."""
        traffic, graph = meshcast.Set.generate("uniform", side=2), meshcast.Expander.reed_solomon(64, r=4, q=8)
        for call in (meshcast.Set.read, meshcast.Set.from_file, lambda none: meshcast.Set.from_bytes(b"", none),
                     traffic.write, meshcast.Topology, lambda none: meshcast.kernel(none, 4),
                     meshcast.Expander.read, meshcast.expander_check, graph.write):
            with self.assertRaises(TypeError):
                call(None)
        for call, name in ((lambda: meshcast.plan(traffic, None), "scheme"),
                           (lambda: meshcast.network(traffic, None), "scheme"),
                           (lambda: meshcast.route(traffic, None), "router"),
                           (lambda: meshcast.load(None, "unicast", 0.1), "topology")):
            with self.assertRaisesRegex(meshcast.UsageError, name):
                call()


# ---- runs ----

RUNS = [
    ("replicate", {}), ("replicate", {"copy": "free", "variant": "paper"}), ("random", {"seed": 7}),
    ("random", {"unknown_congestion": True}), ("stream", {"copy": "free", "buffer": 20}),
    ("circulate", {"threads": 1}), ("unicast", {"slots": 2}), ("expander", {}), ("trees", {"tree": "dds"}),
    ("trees", {"buffer": 9, "copy": "free"}), ("trees", {"tree": "spread", "seed": 2**64 - 1}),
    ("trees", {"reduce": True, "slots": 2}), ("replicate", {"reduce": True}), ("circulate", {"reduce": True}),
]


def option_words(options):
    """The options of route() as those of the program."""
    words = []
    for name, value in options.items():
        if name in ("unknown_congestion", "reduce"):
            words.append("--" + name.replace("_", "-"))
        elif name in ("copy", "buffer", "seed", "threads"):
            words += ["--" + name, value]
        else:
            words += ["--param", f"{name}={value}"]
    return words


class Runs(Folder):
    """Runs are those of the program."""

    def setUp(self):
        super().setUp()
        self.set = self.path("set")
        self.traffic = meshcast.Set.generate("uniform", rows=12, cols=10, degree=4, congestion=5, seed=3)
        self.traffic.write(self.set)

    def check(self, result, json_):
        """Every figure of the program's that does not differ from run to run is here, and is the same."""
        figures = result.to_dict()
        self.assertEqual(set(figures), set(json_))
        for name, value in json_.items():
            if name not in ("set", "wall_seconds", "threads"):
                self.assertEqual(figures[name], value, name)

    def test_route(self):
        for router, options in RUNS:
            result = meshcast.route(self.traffic, router, **options)
            figures = program("route", self.set, "--router", router, *option_words(options))
            self.check(result, figures)
            self.assertGreater(result.wall_seconds, 0)
            self.assertEqual(result.percentile(95), figures["delivery_steps"]["p95"])
            for percent in (-1, 101):
                with self.assertRaisesRegex(meshcast.UsageError, "percent is a whole number 0 .. 100"):
                    result.percentile(percent)
            self.assertEqual(sum(phase.steps for phase in result.phases), result.steps)

    def test_figures(self):
        """Results are attributes, and items; they never change, and go through pickle."""
        result = meshcast.route(self.traffic, "trees", slots=1, keep=True)
        self.assertEqual((result.parameters.slots, result["parameters"]["slots"]), ("1", "1"))
        self.assertEqual(dict(result.parameters), {"slots": "1", "tree": result.parameters.tree})
        self.assertIs(result.set, self.traffic)
        self.assertIn("steps", result)
        again = pickle.loads(pickle.dumps(result))
        self.assertEqual((again, hash(again), again.heatmap() is None), (result, hash(result), False))
        for change in (lambda: setattr(result, "steps", 1), lambda: delattr(result, "steps")):
            with self.assertRaisesRegex(AttributeError, "never change"):
                change()
        with self.assertRaises(AttributeError):
            result.stepps  # pylint: disable=pointless-statement
        text = subprocess.run([PROGRAM, "route", self.set, "--router", "trees", "--param", "slots=1"], text=True,
                              capture_output=True, check=True).stdout.split("\n", 1)[1]
        cut = text.index("wall time")
        self.assertEqual(str(result).split("\n", 1)[1][:cut], text[:cut])
        self.assertIn("packet hops", result._repr_html_())
        self.assertRegex(repr(result), "^Result.*'steps': ")

    def test_several_messages(self):
        traffic = meshcast.Set.generate("moe", side=8, per_node=2, degree=3)
        traffic.write(self.set)
        for router in ("trees", "stream"):
            result = meshcast.route(traffic, router)
            self.check(result, program("route", self.set, "--router", router))

    def test_views(self):
        result = meshcast.route(self.traffic, "trees", copy="free", keep=True, timeline_every=3)
        with self.assertRaisesRegex(meshcast.UsageError, "keep its heatmap: route.*keep=True"):
            meshcast.route(self.traffic, "trees").heatmap()
        nodes, links, line = (self.path(name) for name in ("nodes.csv", "links.csv", "line.csv"))
        for of, path in (("nodes", nodes), ("links", links)):
            program("route", self.set, "--router", "trees", "--copy", "free", "--heatmap", path, "--heatmap-of", of)
        program("route", self.set, "--router", "trees", "--copy", "free", "--timeline", line, "--timeline-every", 3)
        heatmap = plain(result.heatmap())
        for row, col, peak in self.rows(nodes):
            self.assertEqual(heatmap[int(row)][int(col)], int(peak))
        self.assertEqual(max(map(max, heatmap)), result.buffer_peak)
        loads, total = plain(result.link_loads()), 0
        for row, col, to_row, to_col, packets in self.rows(links):
            row, col, way = int(row), int(col), (int(to_row) - int(row), int(to_col) - int(col))
            self.assertEqual(loads[[(-1, 0), (1, 0), (0, -1), (0, 1)].index(way)][row][col], int(packets))
            total += int(packets)
        self.assertEqual(total, result.packet_hops)
        self.assertEqual(sum(sum(map(sum, way)) for way in loads), total)
        columns = [plain(column) for column in result.timeline().values()]
        self.assertEqual([[str(value) for value in row] for row in zip(*columns)],
                         [row[:7] for row in self.rows(line)])
        self.assertEqual(list(result.timeline()), ["step", "packets", "delivered", "fullest", "busy_links",
                                                   "packet_hops", "word_hops"])

    @staticmethod
    def rows(path):
        lines = [line.strip().split(",") for line in open(path, encoding="utf-8")]
        assert len(lines) > 5
        return lines[1:]

    def test_compare(self):
        for routers, options in ((None, {"buffer": 8}), (["trees:tree=dds", "trees", "stream"], {"copy": "free"}),
                                 (None, {"reduce": True})):
            words = ["--routers", ",".join(routers)] if routers else []
            rows = program("compare", self.set, *words, *option_words(options))["runs"]
            found = meshcast.compare(self.traffic, routers, **options)
            self.assertEqual(len(found), len(rows))
            for here, there in zip(found, rows):
                self.assertEqual(here.error, there.get("error"))
                self.check(here, there)
            self.assertEqual(found.fastest.steps, min(row["steps"] for row in rows if "error" not in row))
            self.assertIn("steps", str(found))

    def test_compare_sets(self):
        other = meshcast.Set.generate("uniform", side=4)
        for routers, options in ((["trees", "stream"], {}), (["trees"], {"copy": "free"})):
            found = meshcast.compare([self.traffic, other], routers, **options)
            self.assertEqual([[row.steps for row in one] for one in found],
                             [[row.steps for row in meshcast.compare(one, routers, **options)]
                              for one in (self.traffic, other)])
        self.assertEqual([one.set for one in found], [self.traffic, other])
        self.assertEqual(len(meshcast.compare([other], ["trees"])), 1)
        rows = meshcast.compare([self.traffic, other], schemes=["unicast", "dual"])
        self.assertEqual([(row.set, row.scheme) for row in rows],
                         [(name, scheme) for name in (self.traffic, other) for scheme in ("unicast", "dual")])
        with self.assertRaisesRegex(meshcast.UsageError, "parts are of a file"):
            meshcast.compare(other, parts=["a", "b"])

    def test_stress(self):
        there = program("stress", self.set, "--router", "unicast", "--points", 5)
        self.check(meshcast.stress(self.traffic, "unicast", points=5), there)

    def test_best(self):
        routers = ["replicate", "stream", "circulate", "unicast", "trees", "trees:slots=auto"]
        there = program("compare", self.set, "--best", "--copy", "free", "--routers", ",".join(routers))
        here = meshcast.best(self.traffic, routers, copy="free")
        self.check(here, there)
        self.assertEqual([point.capacity for point in here], [row["capacity"] for row in there["capacities"]])
        self.assertIn(here.not_limited.fastest, here.not_limited.routers)

    def test_plugin(self):
        plugin = self.path("tour.so")
        subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-fPIC", "-Ilibrary", "-o", plugin,
                        "doc/plugin_example.c"], check=True)
        result = meshcast.route(self.traffic, plugin, order="west")
        self.check(result, program("route", self.set, "--router", plugin, "--param", "order=west"))
        rows = meshcast.compare(self.traffic, ["trees", meshcast.Router(plugin)])
        self.assertEqual([row.router for row in rows], ["trees", result.router])
        with self.assertRaisesRegex(meshcast.SystemFailure, "cannot open .*plain.so"):
            meshcast.route(self.traffic, self.path("plain.so"))

    def test_failed_check(self):
        with self.assertRaisesRegex(meshcast.CheckError, "overflow") as caught:
            meshcast.route(self.traffic, "trees", buffer=2, slots=0, keep=True)
        result = caught.exception.result
        self.assertGreater(result.missing, 0)
        self.assertEqual(result.error, str(caught.exception))
        self.assertEqual((result.delivery_steps, result.steps_per_sqrt_cn), (None, None))
        there = program("route", self.set, "--router", "trees", "--buffer", 2, "--param", "slots=0")
        self.check(result, there)
        self.assertEqual(plain(result.heatmap())[result.buffer_peak_node // 10][result.buffer_peak_node % 10],
                         result.buffer_peak)
        self.assertEqual(caught.exception.status, 1)

    def test_errors(self):
        cases = [
            (dict(router="tree"), "unknown router 'tree'; did you mean 'trees'?"),
            (dict(router="trees", slot=3), "unknown parameter of router trees: 'slot'; did you mean 'slots'?"),
            (dict(router="trees", copy="cheap"), "unknown value of copy 'cheap'; the values of copy are: unit, free"),
            (dict(router="trees", seed=-1), "seed takes a whole number from 0 to 2^64-1"),
            (dict(router="trees", buffer=1.5), "buffer takes a whole number from 1 to 4294967295, not '1.5'"),
            (dict(router="trees", threads=1025), "threads takes a whole number from 1 to 1024, not '1025'"),
            (dict(router="trees", unknown_congestion="no"), "unknown_congestion takes no value, not 'no'"),
        ]
        for options, text in cases:
            with self.assertRaises(meshcast.UsageError) as caught:
                meshcast.route(self.traffic, **options)
            self.assertIn(text, str(caught.exception))
        with self.assertRaisesRegex(meshcast.SystemFailure, "cannot open /nowhere/trace for writing"):
            meshcast.route(self.traffic, "trees", trace="/nowhere/trace")

    def test_progress(self):
        told = []
        traffic = meshcast.Set.generate("uniform", side=32, degree=4)
        result = meshcast.route(traffic, "circulate", progress=lambda *told_of: told.append(told_of))
        self.assertTrue(told)
        self.assertTrue(all(0 < steps <= result.steps and every == 0 and "tour" in what for steps, every, what in told))

        def stop(_done, _all, _what):
            raise LookupError("enough")
        with self.assertRaisesRegex(LookupError, "enough"):
            meshcast.route(traffic, "circulate", progress=stop)

    @unittest.skipIf("MESHCAST_SANITIZED" in os.environ,
                     "a child may inherit a lock of the sanitizer, held by a thread that it lacks")
    def test_fork(self):
        """After a run a child of fork() has runs of its own, from any thread."""
        traffic = meshcast.Set.generate("uniform", side=40)
        steps = meshcast.route(traffic, "trees", threads=2).steps
        statuses = []

        def fork():
            meshcast.route(traffic, "trees", threads=2)
            child = os.fork()
            if child == 0:
                os._exit(7 if meshcast.route(traffic, "trees", threads=2).steps == steps else 8)
            statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        fork()
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
        self.assertEqual(statuses, [7, 7])

    def test_threads(self):
        """Several threads use one set, and nothing is mixed up."""
        expected = [meshcast.route(self.traffic, router, seed=1).steps for router in ("trees", "random", "stream")]
        found = [None] * 12

        def work(i):
            found[i] = meshcast.route(self.traffic, ("trees", "random", "stream")[i % 3], seed=1).steps
        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(found))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, expected * 4)

    def test_frames_arrays(self):
        result = meshcast.route(self.traffic, "trees", keep=True)
        frame = result.to_frame()
        self.assertEqual((len(frame), frame.steps[0], frame.router[0]), (1, result.steps, "trees"))
        line = result.timeline().to_frame()
        self.assertEqual((len(line), line.delivered.iloc[-1]), (result.steps + 1, result.delivered))
        frame = meshcast.compare(self.traffic, buffer=8).to_frame()
        self.assertEqual(len(frame), len(meshcast.compare(self.traffic, buffer=8)))
        self.assertEqual(str(result.heatmap().dtype), "uint32")
        self.assertEqual(result.link_loads().shape, (4, 12, 10))

    @unittest.skipIf("MESHCAST_SANITIZED" in os.environ, "a sanitizer keeps what is freed")
    def test_memory_limit(self):
        """A limit refuses what needs more, says so, and can be lifted; sizes are checked."""
        steps = meshcast.kernel("sort", 256).steps
        meshcast.memory_limit(10**6)
        try:
            with self.assertRaisesRegex(meshcast.SystemFailure, "memory"):
                meshcast.kernel("sort", 256)
        finally:
            meshcast.memory_limit(0)
        meshcast.memory_limit(None)
        self.assertEqual(meshcast.kernel("sort", 256).steps, steps)
        meshcast.memory_limit()
        for size in -1, 2**64:
            with self.assertRaises(meshcast.UsageError):
                meshcast.memory_limit(size)
        with self.assertRaises(TypeError):
            meshcast.memory_limit("1M")

    @unittest.skipIf("MESHCAST_SANITIZED" in os.environ, "a sanitizer keeps what is freed")
    def test_memory(self):
        """What is dropped is freed: many large sets and results do not stay."""
        import resource
        def once():
            traffic = meshcast.Set.from_arrays(range(4096), range(4096), side=64)
            meshcast.route(traffic, "trees", threads=1, keep=True).heatmap()
        for _ in range(5):
            once()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(20):  # 0.25 MB each
            once()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # in KiB
        self.assertLess(grown, 2500)


# ---- what else there is ----


class Others(Folder):
    """Kernels, searches, expanders, plans, networks and loads are those of the program."""

    def same(self, here, there):
        """Every figure but those of time is the program's."""
        for name, value in here.to_dict().items():
            if name != "set" and "second" not in name:
                self.assertEqual(value, there[name], name)
        self.assertEqual(len(here.to_dict()), len(there))

    def test_kernel(self):
        for name, options in (("sort", {}), ("prefix", {"k": 3, "method": "sum"}), ("route", {"tiles": 4, "seed": 2}),
                              ("migrate", {"k": 2, "load": 50})):
            words = [word for key, value in options.items() if key not in ("method", "load")
                     for word in ("--" + key, value)]
            words += [word for key in ("method", "load") if key in options
                      for word in ("--param", f"{key}={options[key]}")]
            self.same(meshcast.kernel(name, 16, **options), program("kernel", name, "--side", 16, *words))
        with self.assertRaisesRegex(meshcast.UsageError, "'sort'"):
            meshcast.kernel("sorte", 8)
        self.assertIn("broadcast", meshcast.kernels())

    def test_search(self):
        here = meshcast.search("trees", side=8, congestion=4, tries=60, seed=3)
        path = self.path("worst")
        there = program("search", "--router", "trees", "--side", 8, "--congestion", 4, "--tries", 60, "--seed", 3, "-o",
                        path)
        self.assertEqual(contents(here.set), contents(meshcast.Set.read(path)))
        self.same(here, there)
        traffic = here.set
        del here
        self.assertEqual(meshcast.route(traffic, "trees", seed=3).buffer_peak, there["worst"]["buffer_peak"])
        again = meshcast.search("trees", sets=[traffic], tries=1, seed=3)
        self.assertEqual(again.worst.figure, there["worst"]["figure"])
        with self.assertRaisesRegex(meshcast.UsageError, "a congestion of 2 is less than the 3 messages"):
            meshcast.search("trees", side=4, congestion=2, per_node=3, tries=1)

    def test_expander(self):
        graph = meshcast.Expander.random(64, 16, 4, seed=7)
        path = self.path("graph")
        graph.write(path)
        there = program("expander", "check", path, "--c", 16)["brackets"][0]
        here = meshcast.expander_check(graph)
        self.same(here, there)
        self.same(meshcast.expander_check(meshcast.Expander.read(path)), there)
        neighbours = plain(graph.neighbours())
        self.assertEqual((len(neighbours), len(neighbours[0]), (graph.inputs, graph.c, graph.r)), (64, 4, (64, 16, 4)))
        of_found = {group for i in here.found_set for group in neighbours[i]}
        self.assertEqual(len(of_found), here.found_neighbours)
        self.assertAlmostEqual(here.lambda_found, len(of_found) / (4 * len(here.found_set)), places=6)
        self.assertEqual(meshcast.Expander.reed_solomon(16, 2, 4).kind, "rs")

    def test_plan(self):
        traffic = meshcast.Set.generate("uniform", side=8, degree=4)
        path = self.path("set")
        traffic.write(path)
        for scheme in ("u-mesh", "dual"):
            here, there = meshcast.plan(traffic, scheme), program("plan", path, "--scheme", scheme)
            self.same(here, there[0])
            self.assertEqual(sum(plain(here.costs["traffic"])), here.traffic)
            self.assertEqual(plain(here.costs["message"]), list(range(len(traffic))))
            self.assertEqual(set(here.costs), {"message"} | {cost for cost in here.mean if here.mean[cost] is not None})
        both = meshcast.plan(traffic, ["u-mesh", "dual"])
        self.assertEqual((both[1], plain(both[1].costs["startups"])), (here, plain(here.costs["startups"])))
        with self.assertRaisesRegex(meshcast.UsageError, "'dual'"):
            meshcast.plan(traffic, "duel")

    def test_network(self):
        traffic = meshcast.Set.generate("uniform", side=8, degree=4)
        path = self.path("set")
        traffic.write(path)
        for scheme, options in (("u-mesh", {"flits": 8, "startup": 50}), ("dual", {"flits": "2:9", "seed": 3}),
                                ("unicast", {"switching": "store-and-forward", "sources": 9, "routing": "label"})):
            words = []
            for name, value in options.items():
                words += ["--param", f"routing={value}"] if name == "routing" else ["--" + name, value]
            here = meshcast.network(traffic, scheme, keep=True, **options)
            self.same(here, program("network", path, "--scheme", scheme, *words))
            self.assertEqual(sum(plain(here.link_flits)), here.channel_crossings)
            self.assertEqual((max(plain(here.delivered_at)), len(here.message)), (here.cycles, here.messages))
            links = meshcast.Topology("mesh:8x8").links()
            busiest = here.busiest_link
            number = [row[0] for row in zip(*links.values()) if row[1:] == (busiest["from"], busiest["to"])][0]
            self.assertEqual(plain(here.link_flits)[number], busiest["flits"])

    def test_deadlock(self):
        traffic = meshcast.Set.generate("uniform", side=8, degree=4, congestion=4, seed=1)
        path = self.path("set")
        traffic.write(path)
        with self.assertRaisesRegex(meshcast.CheckError, "deadlock") as caught:
            meshcast.network(traffic, "dual", flits=40, consumption=1)
        result = caught.exception.result
        there = program("network", path, "--scheme", "dual", "--flits", 40, "--consumption", 1)
        self.assertEqual((result.missing, len(result.deadlock)), (there["missing"], len(there["deadlock"])))
        self.assertGreater(result.missing, 0)
        self.assertTrue(all(0 <= wait.waits_for < len(result.deadlock) for wait in result.deadlock))

    def test_load(self):
        point = meshcast.load("mesh:6x6", "unicast", 0.05, destinations=3, multicast_share=0.2, flits=2, measure=2000,
                              warmup=500, runs=2, seed=4)
        there = program("load", "--topology", "mesh:6x6", "--scheme", "unicast", "--rate", 0.05, "--destinations", 3,
                        "--multicast-share", 0.2, "--flits", 2, "--measure", 2000, "--warmup", 500, "--runs", 2, "--seed", 4)
        self.same(point, there["points"][0])
        self.assertIsNone(meshcast.load("mesh:4x4", "dual", 0.01, measure=500, runs=1).routing_capacity)
        points = meshcast.load("mesh:4x4", "unicast", [0.01, 0.02], measure=500, warmup=100, runs=1)
        self.assertEqual([one.rate for one in points], [0.01, 0.02])


# ---- Ctrl-C ----

LONG = """
import meshcast, time
traffic = meshcast.Set.generate("uniform", side=512, degree=4)
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt as error:
    print("interrupted", getattr(error, "result", None) is not None, flush=True)
"""

# so slow a run cannot end before the signal comes
GOING = "progress=lambda done, *_: done and (print('going', flush=True), time.sleep(0.05))"
CALLS = [
    (f"meshcast.route(traffic, 'circulate', threads=1, {GOING})", False),
    (f"meshcast.search('trees', side=32, seconds=500, {GOING})", True),
    (f"meshcast.plan(traffic, 'min', {GOING})", True),
]


class Interruption(unittest.TestCase):
    """Ctrl-C ends what would take long."""

    def test_interruption(self):
        for call, has_result in CALLS:
            with self.subTest(call=call):
                self.interrupt(LONG.format(call=call), has_result)

    def test_generation(self):
        """What looks at no interrupt goes on alone: Ctrl-C does not wait for its end."""
        self.interrupt("""
import meshcast, threading
print("ready", flush=True)
try:
    threading.Timer(0.3, lambda: print("going", flush=True)).start()
    meshcast.Set.generate("uniform", side=1024, degree=16)
except KeyboardInterrupt:
    print("interrupted", any(one.name == "meshcast" for one in threading.enumerate()), flush=True)
""", True)

    def interrupt(self, script, has_result):
        environment = dict(os.environ, PYTHONPATH="python")
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment)
        try:
            self.assertEqual(child.stdout.readline(), "ready\n")
            self.assertEqual(child.stdout.readline(), "going\n")
            child.send_signal(signal.SIGINT)
            rest = [line for line in child.stdout.read().splitlines() if line != "going"]
            self.assertEqual(rest, [f"interrupted {has_result}"])
            self.assertEqual(child.wait(), 0)
        finally:
            child.kill()
            child.wait()


if PLAIN:
    del Headers, Interruption, Library
    for case in (Hostile, Sets, Runs, Others):
        for name in [name for name in dir(case) if name.endswith("_arrays")]:
            setattr(case, name, None)
    del case  # the loader would find it

if __name__ == "__main__":
    unittest.main()
