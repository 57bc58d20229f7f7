"""The host engine's C API (tools/engine/ns_engine.h) for numpy arrays."""
import ctypes

import numpy

TYPES = {"int32": 2, "float32": 7}
BFLOAT16 = 9  # numpy has no such type: its bits lie in uint16
SUM = 0


class EngineError(RuntimeError):
    """A call of the engine failed; the text is the engine's."""


class UniqueId(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


def _type(array):
    return BFLOAT16 if array.dtype == numpy.uint16 else TYPES[array.dtype.name]


def _pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


class Library:
    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        self._library.ns_last_error.restype = ctypes.c_char_p
        self._library.ns_comm_net_name.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        if getattr(self._library, name)(*arguments) != 0:
            raise EngineError(f"{name}: {self._library.ns_last_error().decode(errors='replace')}")

    def unique_id(self):
        """Made by one rank and given to all. The rank that made it must live until all have joined."""
        made = UniqueId()
        self.call("ns_get_unique_id", None, ctypes.byref(made))
        return bytes(made)

    def name_of(self, comm):
        return self._library.ns_comm_net_name(comm).decode()


class Communicator:
    """Calls are queued; synchronize waits for them. Arrays must be contiguous and live until then."""

    def __init__(self, library, unique_id, rank, ranks):
        self._library, self._comm = library, ctypes.c_void_p()
        library.call("ns_comm_init_rank", ctypes.byref(self._comm), ranks,
                     ctypes.byref(UniqueId.from_buffer_copy(unique_id)), rank)
        self.network = library.name_of(self._comm)

    def all_reduce(self, send, receive):
        self._library.call("ns_all_reduce", _pointer(send), _pointer(receive), ctypes.c_size_t(send.size), _type(send),
                           SUM, self._comm)

    def all_gather(self, send, receive):
        self._library.call("ns_all_gather", _pointer(send), _pointer(receive), ctypes.c_size_t(send.size), _type(send),
                           self._comm)

    def synchronize(self):
        self._library.call("ns_comm_synchronize", self._comm)

    def close(self):
        self._library.call("ns_comm_destroy", self._comm)
