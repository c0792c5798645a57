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
from benchbench.kernels.signature import (
    AT_DATA,
    AT_DIMENSIONS,
    AT_DTYPE,
    AT_KIND,
    AT_SIZE,
    AT_TYPE,
    REFUSED,
    ArrayShape,
    Shape,
    TupleShape,
    leaves,
    signature,
)

HERE = Path(__file__).parent
COMPILED = HERE / "compiled"
_PREFIX = "benchbench-"
_FOLDERS = 4  # that stay in one place: installs of several versions may share a user's folder
_LEVELS = ("x86-64-v3", "x86-64")
_FLAGS = {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}  # of the first, as Linux calls them
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
    if (machine or os.uname().machine) != "x86_64":
        return ("generic",)
    if about is None:
        return _LEVELS
    with contextlib.suppress(OSError), about.open(encoding="ascii", errors="replace") as lines:
        flags = next((line.split() for line in lines if line.startswith("flags")), [])
        return _LEVELS if _FLAGS.issubset(flags) else _LEVELS[1:]
    return _LEVELS[1:]


def bound(kernel: Kernel) -> Callable[..., Any]:
    """Return what calls the machine code of a kernel."""
    with _binding:
        entry = _entry(kernel) if _is_known_layout() and sources() else None
        if entry is None:
            return _by_numba(kernel)
        return _caller(kernel, entry)


def symbol(kernel: Kernel) -> str:
    """Return the name of a kernel's entry; of one that is not of this folder it tells its source."""
    source = Path(kernel.py_func.__code__.co_filename)
    return _name(kernel) if source.parent == HERE else f"{_name(kernel)}-{digest(source.read_bytes())}"


def digest(data: bytes) -> str:
    """Return what tells some bytes from others."""
    return hashlib.blake2b(data, digest_size=10).hexdigest()


@functools.cache
def sources() -> str | None:
    """Return the digest of the sources of this folder; None where they are no files."""
    contents = [(path.name, path.read_bytes()) for path in sorted(HERE.glob("*.py"))]
    whole = b"".join(f"{name} {len(content)} ".encode() + content for name, content in contents)
    return digest(whole) if contents else None


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
    except OSError:  # of a notebook, or of `python -c`: there is nothing to tell it by
        return _compiled(kernel, None)
    library = _library()
    if library is not None:
        with contextlib.suppress(AttributeError):
            return library[name]
    places = [(COMPILED, f"{sources()}-{level}") for level in levels()]
    places += [(folder, f"{name}-{level}") for level in levels() for folder in folders()]
    for folder, stem in places:
        for _, data in _read(folder, stem, ".o"):
            with contextlib.suppress(RuntimeError, LookupError):  # llvmlite's, of what is no object file; or of others
                return _loaded(data, name)
    return _compiled(kernel, name)


@functools.cache
def _library() -> ctypes.CDLL | None:
    """Return the library of all kernels; None where there is none for these sources and this processor."""
    for level in levels():
        for path, _ in _read(COMPILED, f"{sources()}-{level}", ".so"):
            with contextlib.suppress(OSError):
                return ctypes.CDLL(str(path))
    return None


def _compiled(kernel: Kernel, name: str | None) -> Any:
    """Compile a kernel, and keep what has a name; None where numba has changed too much for that."""
    with _numba_is_needed(kernel):
        from benchbench.kernels import machine_code
    level = levels()[0]
    name, is_kept = name or f"{kernel.py_func.__qualname__}-{id(kernel)}", bool(name)
    try:
        data = machine_code.machine_code({name: kernel}, level)
    except machine_code.CHANGED:
        return None
    if is_kept and folders():
        with contextlib.suppress(OSError):
            written(folders()[0], f"{name}-{level}", ".o", data)
    return _loaded(data, name)


def _by_numba(kernel: Kernel) -> Callable[..., Any]:
    """Return a kernel as numba compiles it by itself, which is not kept."""
    with _numba_is_needed(kernel):
        dispatcher: Callable[..., Any] = kernel.dispatcher
        return dispatcher


@contextlib.contextmanager
def _numba_is_needed(kernel: Kernel) -> Iterator[None]:
    """Raise InputError where numba cannot be imported in the block."""
    try:
        yield
    except ImportError as error:
        raise InputError(f"{_name(kernel)} has to be compiled, and numba cannot be imported: {error}") from error


@functools.cache
def _engine() -> Any:
    """Return what loads object files into this process."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    binding: Any = llvm  # it has no types
    machine = binding.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


@functools.cache
def _load(data: bytes) -> None:
    from llvmlite.binding import ObjectFileRef

    reference: Any = ObjectFileRef
    _engine().add_object_file(reference.from_data(data))
    _engine().finalize_object()


def _loaded(data: bytes, name: str) -> Any:
    """Return a function of an object file; LookupError where it has none of this name."""
    _load(data)
    address = _engine().get_function_address(name)
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
    array_type, shape = id(np.ndarray), shapes.returned
    has_tuples = any(isinstance(parameter, TupleShape) for parameter in shapes.parameters.values())

    def call(*arguments: Any) -> Any:
        given = _apart(arguments) if has_tuples else arguments
        result = None if shape is None else result_type()
        code = entry(array_type, *given, result)
        if code:
            return _problem(kernel, code, taken, arguments)
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


def _together(shape: Shape, result: Any) -> Any:
    """Return a result as its shape has it."""
    if isinstance(shape, TupleShape):
        values = [getattr(result, name) for name, _ in result._fields_]
        return shape.kind(values) if shape.kind is tuple else shape.kind(*values)
    return bool(result.r0) if shape == np.bool_ else result.r0


def _name(kernel: Kernel) -> str:
    return f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"


def _problem(kernel: Kernel, code: int, taken: Sequence[Any], arguments: Sequence[Any]) -> Any:
    """Raise what an entry reports."""
    if code <= REFUSED:
        place = REFUSED - code
        given = _apart(arguments)[place]
        shown = f"{given.dtype} {given.shape}" if isinstance(given, np.ndarray) else type(given).__name__
        raise TypeError(f"{_name(kernel)}: what it takes as number {place} is {taken[place]}, and not {shown}")
    # an exception of the kernel: numba raises it from the same code
    return _by_numba(kernel)(*arguments)


def _is_known_layout() -> bool:
    """Say whether Python and NumPy have the members of arrays where entries read them."""
    array = np.empty((3, 5), np.int16)
    there, kind = id(array), id(array.dtype)
    return (
        sys.implementation.name == "cpython"
        and object.__basicsize__ == 16
        and ctypes.c_void_p.from_address(there + AT_TYPE).value == id(np.ndarray)
        and ctypes.c_void_p.from_address(there + AT_DATA).value == array.ctypes.data
        and ctypes.c_int.from_address(there + AT_DIMENSIONS).value == 2
        and ctypes.c_void_p.from_address(there + AT_DTYPE).value == kind
        and ctypes.c_char.from_address(kind + AT_KIND).value == b"i"
        and ctypes.c_int64.from_address(kind + AT_SIZE).value == 2
    )


@functools.cache
def folders() -> tuple[Path, ...]:
    """Return the folders that may hold what was compiled here; the first can be written to, unless none can."""
    read_only: list[Path] = []
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    for place in (*((Path(chosen),) if chosen else ()), *places(HERE / "__init__.py")):
        folder = place / f"{_PREFIX}{sources()}"
        if os.access(folder, os.W_OK) or _made(folder):
            return (folder, *read_only)
        if folder.is_dir():
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
        return folder.is_dir() and os.access(folder, os.W_OK)  # another process was faster
    return True
