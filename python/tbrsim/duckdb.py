# SPDX-License-Identifier: MIT
"""DuckDB, which reads and writes Parquet: its shared library, called through its C interface. Neither
Debian 12 nor 13 packages a library for Parquet; `make deps` fetches this one from the npm registry."""
import ctypes
import ctypes.util

from . import fetched
from .errors import Error

VERSION = "1.5.6"
RELEASE = "1.5.6-r.1"
SHA256_X64 = "1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff"
SHA256_ARM64 = "3a45a6305b3235a781ed9de25aa795a3862acd042782d1f864e1bdb656de212b"
NAME = f"libduckdb-{VERSION}.so"


def find():
    """The library's file, or the name by which the system's linker finds it."""
    found = fetched.find(NAME) or ctypes.util.find_library("duckdb")
    if not found:
        raise Error(f"Parquet needs DuckDB's library, {NAME}, which is missing: make deps && make")
    return str(found)


class _Result(ctypes.Structure):
    """duckdb_result: all of its members are private."""
    _fields_ = [("counts", ctypes.c_uint64 * 3), ("pointers", ctypes.c_void_p * 3)]


def quoted(text):
    """A string of SQL."""
    return "'" + str(text).replace("'", "''") + "'"


def identifier(name):
    """A column's name in SQL."""
    return '"' + name.replace('"', '""') + '"'


class Database:
    """An empty database in memory, for statements that read and write files. It fetches no extension:
    it touches no network."""

    def __init__(self):
        path = find()
        try:
            self._library = ctypes.CDLL(path)
            self._library.duckdb_result_error.restype = ctypes.c_char_p
        except (OSError, AttributeError) as error:
            raise Error(f"{path}: DuckDB's library cannot be used: {error}") from None
        self._database, self._connection = ctypes.c_void_p(), ctypes.c_void_p()
        if self._library.duckdb_open(None, ctypes.byref(self._database)) or \
                self._library.duckdb_connect(self._database, ctypes.byref(self._connection)):
            raise Error(f"{path}: DuckDB does not start")
        for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):
            self.run(f"SET {setting} = false")

    def run(self, statement):
        """Runs one statement of SQL; an Error with what DuckDB says where it fails."""
        result = _Result()
        failed = self._library.duckdb_query(self._connection, statement.encode(),
                                            ctypes.byref(result))
        message = self._library.duckdb_result_error(ctypes.byref(result)) if failed else None
        self._library.duckdb_destroy_result(ctypes.byref(result))
        if failed:
            raise Error((message or b"DuckDB gives no reason").decode(errors="replace"))

    def close(self):
        self._library.duckdb_disconnect(ctypes.byref(self._connection))
        self._library.duckdb_close(ctypes.byref(self._database))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
