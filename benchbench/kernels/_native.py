"""How Python calls kernels: by the library that was built with the package, or by what is compiled when it is missing.

`build` makes the library for levels of processors, in `compiled`, and names it after all sources of kernels, so that
it is never that of others. Where it could not be linked its object file is there instead, and llvmlite loads it. Of
sources that were changed, and of kernels that are not the package's, numba compiles what is called, and that is kept
beside the sources or in the user's folder of caches.
"""

import contextlib
import ctypes
import functools
import glob
import hashlib
import importlib
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchbench.caches import places
from benchbench.errors import InputError
from benchbench.kernels._jit import Kernel
from benchbench.kernels.signature import REFUSED, ArrayShape, At, TupleShape, leaves, signature

HERE = Path(__file__).parent
COMPILED = HERE / "compiled"
_PREFIX = "benchbench-"
_FOLDERS = 4  # that stay in one place: installs of several versions may share a user's folder
_LEVELS = ("x86-64-v3", "x86-64")
_FLAGS = {  # of the first, as Linux calls them; a hypervisor may mask any
    *("abm", "avx", "avx2", "bmi1", "bmi2", "cx16", "f16c", "fma", "lahf_lm", "movbe", "popcnt"),
    *("sse4_1", "sse4_2", "ssse3", "xsave"),
}
_NUMBERS: dict[str, Any] = {"i": ctypes.c_int64, "u": ctypes.c_uint64, "f": ctypes.c_double, "b": ctypes.c_bool}
_WORDS = {**_NUMBERS, "b": ctypes.c_int64}  # of a result, 8 bytes each
_binding = threading.RLock()


def levels(about: Path | None = Path("/proc/cpuinfo"), machine: str = "") -> tuple[str, ...]:
    """Return the levels of processors whose machine code this one runs, as LLVM calls them, the fastest first.

    Parameters
    ----------
    about
        What Linux says of the processor; elsewhere the plainest level is taken. None is for all of the architecture.
    machine
        The architecture; this one's if empty.
    """
    machine = machine or (os.uname().machine if hasattr(os, "uname") else "")  # Windows has none
    if machine != "x86_64":
        return ("generic",)
    if about is None:
        return _LEVELS
    with contextlib.suppress(OSError), about.open(encoding="ascii", errors="replace") as lines:
        flags = next((line.split() for line in lines if line.startswith("flags")), [])
        return _LEVELS if _FLAGS.issubset(flags) else _LEVELS[1:]
    return _LEVELS[1:]


def bind(kernel: Kernel) -> Callable[..., Any]:
    """Return what calls the machine code of a kernel, and make it the kernel's."""
    is_checked = os.environ.get("NUMBA_BOUNDSCHECK", "0") != "0"  # numba alone says where a kernel reads too far
    with _binding, _numba_is_needed(kernel):
        if kernel.native is None:  # no other thread was faster
            entry = _entry(kernel) if _is_known_layout() and sources() and not is_checked else None
            kernel.native = kernel.dispatcher if entry is None else _caller(kernel, entry)
        return kernel.native


def symbol(kernel: Kernel) -> str:
    """Return the name of a kernel's entry; of one that is not of this folder it tells its source.

    OSError if nothing tells a kernel: it has no file, as in a notebook, or values of the function that made it.
    """
    code = kernel.py_func.__code__
    source = Path(code.co_filename)
    if code.co_freevars:
        raise FileNotFoundError(f"{_name(kernel)} has values that are in no file")
    if source.parent == HERE:
        return _name(kernel)
    return f"{_name(kernel)}-{code.co_firstlineno}-{digest(source.read_bytes())}"


def digest(data: bytes) -> str:
    """Return what tells some bytes from others."""
    return hashlib.blake2b(data, digest_size=10).hexdigest()


@functools.cache
def sources() -> str | None:
    """Return the digest of the sources of this folder, for this operating system; None where they are no files."""
    contents = [(path.name, path.read_bytes()) for path in sorted(HERE.glob("[!.]*.py"))]
    whole = b"".join(f"{name} {len(content)} ".encode() + content for name, content in contents)
    return digest(sys.platform.encode() + whole) if contents else None


def written(folder: Path, name: str, suffix: str, data: bytes) -> Path:
    """Write a file whole, under a name by which `_read` sees whether it still is."""
    path = folder / f"{name}-{digest(data)}{suffix}"
    part = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return path


def _read(folder: Path, name: str, suffix: str) -> Iterator[tuple[Path, bytes]]:
    """Yield the files of a name that are as they were written."""
    for path in folder.glob(f"{glob.escape(name)}-*{suffix}"):
        with contextlib.suppress(OSError):
            data = path.read_bytes()
            if path.name == f"{name}-{digest(data)}{suffix}":
                yield path, data


def is_built() -> bool:
    """Say whether there is machine code of all kernels for these sources and this processor."""
    return _library() is not None or any(any(_read(COMPILED, f"{sources()}-{level}", ".o")) for level in levels())


def _entry(kernel: Kernel) -> Any:
    """Return the entry of a kernel as a function of ctypes; None where it cannot be compiled to one."""
    try:
        name = symbol(kernel)
    except OSError:
        return _compiled(kernel, None)
    library = _library()
    if library is not None:
        with contextlib.suppress(AttributeError):
            return library[name]
    for data in _objects(name):
        with contextlib.suppress(RuntimeError, LookupError):  # llvmlite's, of what is no object file; or of others
            return _loaded(data, name)
    return _compiled(kernel, name)


def _objects(name: str) -> Iterator[bytes]:
    """Yield the object files in which an entry may be, the fastest first."""
    for level in levels():
        yield from (data for _, data in _read(COMPILED, f"{sources()}-{level}", ".o"))
    for level in levels():
        for folder in folders():
            yield from (data for _, data in _read(folder, f"{name}-{level}", ".o"))


@functools.cache
def _library() -> ctypes.CDLL | None:
    """Return the library of all kernels; None where there is none for these sources and this processor."""
    for level in levels():
        for path, _ in _read(COMPILED, f"{sources()}-{level}", ".so"):
            with contextlib.suppress(OSError):
                return ctypes.CDLL(str(path))
    return None


def _compiled(kernel: Kernel, name: str | None) -> Any:
    """Compile a kernel, and keep what has a name; None where numba takes it, but not `machine_code`."""
    from benchbench.kernels import machine_code

    level, entry = levels()[0], name or f"{_name(kernel)}-{os.urandom(8).hex()}"
    try:
        data = machine_code.machine_code({entry: kernel}, level)
    except Exception:  # of what is not known there, or of a wrong kernel: numba compiles it by itself, or says why not
        return None
    if name and folders():
        with contextlib.suppress(OSError):
            if not _has_changed(kernel):
                written(folders()[0], f"{name}-{level}", ".o", data)
    return _loaded(data, entry)


def _has_changed(kernel: Kernel) -> bool:
    """Say whether a source was written after the kernel was imported: it is another's by now."""
    paths = (*HERE.glob("[!.]*.py"), Path(kernel.py_func.__code__.co_filename))
    return max(path.stat().st_mtime for path in paths) > kernel.imported


@contextlib.contextmanager
def _numba_is_needed(kernel: Kernel) -> Iterator[None]:
    """Raise InputError where numba, or what loads its machine code, cannot be imported in the block."""
    try:
        yield
    except ImportError as error:
        raise InputError(f"{_name(kernel)} has to be compiled, and numba cannot be imported: {error}") from error


@functools.cache
def _engine(data: bytes) -> Any:
    """Return what has loaded an object file into this process."""
    llvm: Any = importlib.import_module("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(data))
    engine.finalize_object()
    return engine


def _loaded(data: bytes, name: str) -> Any:
    """Return a function of an object file; LookupError where it has none of this name."""
    address = _engine(data).get_function_address(name)
    if not address:
        raise LookupError(name)
    return ctypes.CFUNCTYPE(ctypes.c_int32)(address)


def _caller(kernel: Kernel, entry: Any) -> Callable[..., Any]:
    """Return what takes arguments apart, calls an entry, and puts together what it returns."""
    shapes = signature(kernel.py_func)
    taken = [leaf for shape in shapes.parameters.values() for leaf in leaves(shape)]
    returned: list[Any] = [] if shapes.returned is None else [*leaves(shapes.returned)]
    result_type: Any = type(
        "Result", (ctypes.Structure,), {"_fields_": [(f"r{i}", _WORDS[leaf.kind]) for i, leaf in enumerate(returned)]}
    )
    entry.restype = ctypes.c_int32
    entry.argtypes = [
        ctypes.c_void_p,
        *(ctypes.py_object if isinstance(leaf, ArrayShape) else _NUMBERS[leaf.kind] for leaf in taken),
        ctypes.POINTER(result_type),
    ]
    array_type, shape, defaults = id(np.ndarray), shapes.returned, kernel.py_func.__defaults__ or ()
    has_tuples = any(isinstance(parameter, TupleShape) for parameter in shapes.parameters.values())

    def call(*arguments: Any) -> Any:
        given = _apart(arguments) if has_tuples else arguments
        if len(given) != len(taken):  # ctypes would pass on what is too much
            left = len(shapes.parameters) - len(arguments)
            if 0 < left <= len(defaults):
                return call(*arguments, *defaults[-left:])
            raise TypeError(f"{_name(kernel)}: takes {len(taken)} numbers and arrays, and has {len(given)}")
        result = None if shape is None else result_type()
        code = entry(array_type, *given, result)
        if code:
            if code <= REFUSED:
                raise TypeError(f"{_name(kernel)}: {_refused(REFUSED - code, taken, given)}")
            with _numba_is_needed(kernel):  # an exception of the kernel: numba raises it from the same code
                return kernel.dispatcher(*arguments)
        return None if shape is None else _together(shape, result)

    return call


def _apart(values: Sequence[Any]) -> list[Any]:
    """Return what stands in tuples, and in tuples in these."""
    flat: list[Any] = []
    for value in values:
        if isinstance(value, tuple):
            flat += _apart(value)
        else:
            flat.append(value)
    return flat


def _together(shape: Any, result: Any) -> Any:
    """Return a result as its shape has it."""
    if not isinstance(shape, TupleShape):
        return bool(result.r0) if shape.kind == "b" else result.r0
    return _tuple(shape, (getattr(result, name) for name, _ in result._fields_))


def _tuple(shape: Any, numbers: Iterator[Any]) -> Any:
    values = [
        _tuple(member, numbers) if isinstance(member, TupleShape) else member.type(next(numbers)).item()
        for member in shape.members
    ]
    return shape.kind(values) if shape.kind is tuple else shape.kind(*values)


def _name(kernel: Kernel) -> str:
    return f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"


def _refused(place: int, taken: Sequence[Any], given: Sequence[Any]) -> str:
    """Return what is wrong with an array."""
    shape, value = taken[place], given[place]
    shown = f"{value.dtype.str} {value.shape}" if isinstance(value, np.ndarray) else ""
    return (
        f"argument {place} has to be an aligned array ({shape.dtype.str}, {shape.dimensions} dimensions, "
        f"order {shape.layout}), and is {type(value).__name__} {shown}"
    )


@functools.cache
def _is_known_layout() -> bool:
    """Say whether Python and NumPy have the members of arrays where entries read them."""
    array = np.empty((3, 5), np.int16)
    there, kind = id(array), id(array.dtype)
    if sys.implementation.name != "cpython" or object.__basicsize__ != 16:
        return False

    def read(address: int, kind: Any = ctypes.c_int64) -> Any:
        return kind.from_address(address).value

    return bool(
        read(there + At.TYPE) == id(np.ndarray)
        and read(there + At.DATA) == array.ctypes.data
        and read(there + At.DIMENSIONS, ctypes.c_int) == array.ndim
        and read(read(there + At.SHAPE) + 8) == array.shape[1]
        and read(read(there + At.STRIDES)) == array.strides[0]
        and read(there + At.FLAGS, ctypes.c_int) == array.flags.num
        and read(there + At.DTYPE) == kind
        and read(kind + At.KIND, ctypes.c_char) == b"i"
        and read(kind + At.ORDER, ctypes.c_char) == b"="
        and read(kind + At.SIZE) == array.itemsize
    )


@functools.cache
def folders() -> tuple[Path, ...]:
    """Return the folders that may hold what was compiled here; the first can be written to, unless none can."""
    from importlib.metadata import version  # it takes longer to import than all of this module

    read_only: list[Path] = []
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    for place in (*((Path(chosen),) if chosen else ()), *places(HERE / "__init__.py")):
        folder = place / f"{_PREFIX}{sources()}-{version('numba')}-{version('llvmlite')}"
        if os.access(folder, os.W_OK) or _made(folder):
            return (folder, *read_only)
        if os.access(folder, os.R_OK):
            read_only.append(folder)
    return tuple(read_only)


def _made(folder: Path) -> bool:
    """Make a folder, and remove those of sources that have long been others."""
    try:
        folder.mkdir(parents=True)
        others = sorted(folder.parent.glob(f"{_PREFIX}*"), key=lambda path: path.stat().st_mtime, reverse=True)
        for other in others[_FOLDERS:]:
            shutil.rmtree(other, ignore_errors=True)
    except OSError:
        return os.access(folder, os.W_OK)  # another process was faster
    return True
