# SPDX-License-Identifier: Apache-2.0
"""Reads the index that the compiler writes during a debug build, with the library of the toolchain."""
import ctypes
import os
import pathlib

from .report import Failure

# Values of indexstore.h.
RECORD = 2
DECLARATION, DEFINITION, IMPLICIT = 1 << 0, 1 << 1, 1 << 8
CHILD_OF, EXTENDED_BY = 1 << 9, 1 << 14
ENUM, STRUCT, CLASS, PROTOCOL, EXTENSION, ALIAS, PARAMETER = 5, 6, 7, 8, 9, 11, 25


class _String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


_POINTER = ctypes.c_void_p
_ON_STRING = ctypes.CFUNCTYPE(ctypes.c_bool, _POINTER, _String)
_ON_POINTER = ctypes.CFUNCTYPE(ctypes.c_bool, _POINTER, _POINTER)
_APPLY = (ctypes.c_bool, _POINTER, _POINTER, _ON_POINTER)
_FUNCTIONS = {
    "store_create": (_POINTER, ctypes.c_char_p, ctypes.POINTER(_POINTER)),
    "store_units_apply_f": (ctypes.c_bool, _POINTER, ctypes.c_uint, _POINTER, _ON_STRING),
    "unit_reader_create": (_POINTER, _POINTER, ctypes.c_char_p, ctypes.POINTER(_POINTER)),
    "unit_reader_get_main_file": (_String, _POINTER),
    "unit_reader_dependencies_apply_f": _APPLY,
    "unit_reader_dispose": (None, _POINTER),
    "unit_dependency_get_kind": (ctypes.c_int, _POINTER),
    "unit_dependency_get_name": (_String, _POINTER),
    "unit_dependency_get_filepath": (_String, _POINTER),
    "record_reader_create": (_POINTER, _POINTER, ctypes.c_char_p, ctypes.POINTER(_POINTER)),
    "record_reader_dispose": (None, _POINTER),
    "record_reader_occurrences_apply_f": _APPLY,
    "occurrence_get_symbol": (_POINTER, _POINTER),
    "occurrence_get_roles": (ctypes.c_uint64, _POINTER),
    "occurrence_get_line_col": (None, _POINTER, ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_uint)),
    "occurrence_relations_apply_f": _APPLY,
    "symbol_relation_get_roles": (ctypes.c_uint64, _POINTER),
    "symbol_relation_get_symbol": (_POINTER, _POINTER),
    "symbol_get_kind": (ctypes.c_int, _POINTER),
    "symbol_get_name": (_String, _POINTER),
    "symbol_get_usr": (_String, _POINTER),
}


class Symbol:
    """A declaration: its name, its kind, its place, and the identifier of the type or extension that it stands in.

    For an extension that is the extended type.
    """

    def __init__(self, name, kind, path, line, column, parent):
        self.name, self.kind, self.path, self.line, self.column, self.parent = name, kind, path, line, column, parent


class IndexStore:
    """The index of a build folder. Its unit files have the times at which the source files were compiled."""

    def __init__(self, folder, toolchain):
        self.folder = pathlib.Path(folder)
        library = _library(toolchain)
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(library, f"indexstore_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, f"_{name}", function)
        self._store = self._store_create(str(self.folder).encode(), ctypes.byref(_POINTER()))
        if not self._store:
            raise Failure(f"{self.folder} is no index of this compiler")

    def files(self):
        """By the path of each compiled file: the time of its compilation in nanoseconds, and the name of its record."""
        names, found = [], {}
        self._store_units_apply_f(self._store, 0, None, _ON_STRING(lambda _, name: names.append(str(name)) or True))
        for name in names:
            unit = self._unit_reader_create(self._store, name.encode(), ctypes.byref(_POINTER()))
            if not unit:
                continue
            path, records = str(self._unit_reader_get_main_file(unit)), []

            def add(_, dependency):
                if (self._unit_dependency_get_kind(dependency) == RECORD
                        and str(self._unit_dependency_get_filepath(dependency)) == path):
                    records.append(str(self._unit_dependency_get_name(dependency)))
                return True

            self._unit_reader_dependencies_apply_f(unit, None, _ON_POINTER(add))
            self._unit_reader_dispose(unit)
            try:
                time = next(self.folder.glob(f"v*/units/{name}")).stat().st_mtime_ns
            except (StopIteration, FileNotFoundError):
                # A build beside this check replaces it.
                continue
            # A file without declarations has no record.
            if path and time > found.get(path, (0, None))[0]:
                found[path] = (time, records[0] if records else None)
        return found

    def read(self, path, record):
        """The symbols that a file declares, by identifier, and the identifiers of all symbols that it names."""
        reader = self._record_reader_create(self._store, record.encode(), ctypes.byref(_POINTER()))
        if not reader:
            raise Failure(f"the index has no record {record}; remove {self.folder} and build again")
        declared, used, extended = {}, set(), {}
        line, column = ctypes.c_uint(), ctypes.c_uint()

        def add(_, occurrence):
            symbol, roles = self._occurrence_get_symbol(occurrence), self._occurrence_get_roles(occurrence)
            kind, identifier = self._symbol_get_kind(symbol), str(self._symbol_get_usr(symbol))
            if not roles & (DECLARATION | DEFINITION):
                used.add(identifier)
                if kind in (ENUM, STRUCT, CLASS, PROTOCOL, ALIAS):
                    for extension in self._related(occurrence, EXTENDED_BY):
                        extended[extension] = identifier
            elif kind != PARAMETER and not roles & IMPLICIT:
                self._occurrence_get_line_col(occurrence, ctypes.byref(line), ctypes.byref(column))
                parent = next(iter(self._related(occurrence, CHILD_OF)), None)
                declared[identifier] = Symbol(str(self._symbol_get_name(symbol)), kind, path, line.value, column.value,
                                              parent)
            return True

        self._record_reader_occurrences_apply_f(reader, None, _ON_POINTER(add))
        self._record_reader_dispose(reader)
        for extension, identifier in extended.items():
            if extension in declared:
                declared[extension].parent = identifier
        return declared, used

    def _related(self, occurrence, role):
        """The identifiers of the symbols that an occurrence has this relation to."""
        found = []

        def add(_, relation):
            if self._symbol_relation_get_roles(relation) & role:
                found.append(str(self._symbol_get_usr(self._symbol_relation_get_symbol(relation))))
            return True

        self._occurrence_relations_apply_f(occurrence, None, _ON_POINTER(add))
        return found


def _library(toolchain):
    """libIndexStore of the compiler that printed this about itself (`swift -print-target-info`)."""
    path = pathlib.Path(toolchain["paths"]["runtimeResourcePath"]).parent / "libIndexStore.so"
    try:
        return ctypes.CDLL(os.fspath(path))
    except OSError:
        raise Failure(f"{path} cannot be loaded; install a Swift toolchain that has it") from None
