# SPDX-License-Identifier: MIT
"""A reader of Perfetto traces, as far as timelines go: protobuf's wire format by a table of the messages' fields. What is
not in the table, or not as the format has it, is an error."""

import struct

# Of protos/perfetto/trace and protos/perfetto/common: {number: (name, type, repeated)}.
SCHEMA = {
    "Trace": {1: ("packet", "TracePacket", True)},
    "TracePacket": {8: ("timestamp", "uint64", False), 10: ("trusted_packet_sequence_id", "uint32", False),
                    11: ("track_event", "TrackEvent", False), 13: ("sequence_flags", "uint32", False),
                    52: ("gpu_counter_event", "GpuCounterEvent", False),
                    60: ("track_descriptor", "TrackDescriptor", False)},
    "TrackDescriptor": {1: ("uuid", "uint64", False), 2: ("name", "string", False),
                        3: ("process", "ProcessDescriptor", False), 5: ("parent_uuid", "uint64", False),
                        11: ("child_ordering", "enum", False), 12: ("sibling_order_rank", "int32", False)},
    "ProcessDescriptor": {1: ("pid", "int32", False), 6: ("process_name", "string", False)},
    "TrackEvent": {4: ("debug_annotations", "DebugAnnotation", True), 9: ("type", "enum", False),
                   11: ("track_uuid", "uint64", False), 23: ("name", "string", False)},
    "DebugAnnotation": {3: ("uint_value", "uint64", False), 6: ("string_value", "string", False),
                        10: ("name", "string", False)},
    "GpuCounterEvent": {1: ("counter_descriptor", "GpuCounterDescriptor", False), 2: ("counters", "GpuCounter", True)},
    "GpuCounter": {1: ("counter_id", "uint32", False), 3: ("double_value", "double", False)},
    "GpuCounterDescriptor": {1: ("specs", "GpuCounterSpec", True)},
    "GpuCounterSpec": {1: ("counter_id", "uint32", False), 2: ("name", "string", False),
                       3: ("description", "string", False), 7: ("numerator_units", "enum", True),
                       8: ("denominator_units", "enum", True), 10: ("groups", "enum", True)},
}
SLICE_BEGIN, SLICE_END = 1, 2
UNITS = {0: "", 7: "B", 22: "s"}
GROUPS = {0: "unclassified", 5: "memory"}


def varint(data, at):
    """A number, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number has more than ten bytes")


def message(data, name):
    """A message as {field: value}, or [values] of repeated fields."""
    fields, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag >> 3 not in SCHEMA[name]:
            raise ValueError(f"{name} has no field {tag >> 3}")
        field, kind, repeated = SCHEMA[name][tag >> 3]
        wire = {"string": 2, "double": 1}.get(kind, 2 if kind in SCHEMA else 0)
        if tag & 7 != wire:
            raise ValueError(f"{name}.{field} has the wire type {tag & 7}")
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        else:
            length, at = varint(data, at)
            content, at = data[at:at + length], at + length
            if len(content) < length:
                raise ValueError(f"{name}.{field} is cut off")
            value = content.decode() if kind == "string" else message(content, kind)
        if repeated:
            fields.setdefault(field, []).append(value)
        elif field in fields:
            raise ValueError(f"{name}.{field} is there twice")
        else:
            fields[field] = value
    return fields


class Slice:
    def __init__(self, begin, name, depth, notes):
        self.begin, self.end, self.name, self.depth, self.notes = begin, None, name, depth, notes


class Timeline:
    """processes: {uuid: name}; tracks: {name: [Slice]} in the order of their beginnings, with parents: {name: process};
    counters: {name: [(begin, end, value)]}, units: {name: unit}. Raises ValueError where slices do not nest, times of a
    track go back, or something is used that was not described."""

    def __init__(self, data):
        self.processes, self.tracks, self.parents, self.counters, self.units = {}, {}, {}, {}, {}
        self.descriptions, self.groups = {}, {}
        self._names, self._open, self._last, self._specs = {}, {}, {}, {}
        self._sampled = None
        packets = message(data, "Trace")["packet"]
        for number, packet in enumerate(packets):
            if packet["trusted_packet_sequence_id"] != 1 or packet.get("sequence_flags") != (None if number else 1):
                raise ValueError(f"packet {number} is of no sequence")
            contents = [name for name in ("track_descriptor", "track_event", "gpu_counter_event") if name in packet]
            if len(contents) != 1:
                raise ValueError(f"packet {number} has {contents}")
            getattr(self, "_" + contents[0])(packet.get("timestamp"), packet[contents[0]])
        for track, slices in self._open.items():
            if slices:
                raise ValueError(f"{self._names[track]}: {slices[-1].name} does not end")

    def _track_descriptor(self, time, track):
        if time is not None or track["uuid"] in self._names or track["uuid"] in self.processes:
            raise ValueError(f"track {track['uuid']} is described twice")
        if "process" in track:
            self.processes[track["uuid"]] = track["process"]["process_name"]
            return
        if track["name"] in self.tracks:
            raise ValueError(f"two tracks are {track['name']}")
        self._names[track["uuid"]] = track["name"]
        self._open[track["uuid"]] = []
        self.tracks[track["name"]] = []
        self.parents[track["name"]] = self.processes[track["parent_uuid"]]

    def _track_event(self, time, event):
        track = event["track_uuid"]
        if track not in self._names:
            raise ValueError(f"track {track} is not described")
        if time < self._last.get(track, 0):
            raise ValueError(f"{self._names[track]}: {time} after {self._last[track]}")
        self._last[track] = time
        notes = {note["name"]: note.get("uint_value", note.get("string_value"))
                 for note in event.get("debug_annotations", ())}
        if event["type"] == SLICE_BEGIN:
            begun = Slice(time, event["name"], len(self._open[track]), notes)
            self._open[track].append(begun)
            self.tracks[self._names[track]].append(begun)
        elif event["type"] == SLICE_END:
            ended = self._open[track].pop()
            ended.end = time
            ended.notes |= notes
        else:
            raise ValueError(f"a track event of type {event['type']}")

    def _gpu_counter_event(self, time, event):
        for spec in event.get("counter_descriptor", {}).get("specs", ()):
            if spec["counter_id"] in self._specs:
                raise ValueError(f"counter {spec['counter_id']} is described twice")
            name = self._specs[spec["counter_id"]] = spec["name"]
            self.counters[name] = []
            self.descriptions[name] = spec["description"]
            self.groups[name] = [GROUPS[group] for group in spec["groups"]]
            self.units[name] = "/".join(":".join(UNITS[unit] for unit in spec[units])
                                        for units in ("numerator_units", "denominator_units") if units in spec)
        values = {self._specs[counter["counter_id"]]: counter["double_value"] for counter in event["counters"]}
        if set(values) != set(self._specs.values()):
            raise ValueError("a sample has not all counters")
        if self._sampled is not None and time <= self._sampled:
            raise ValueError(f"a sample at {time} after one at {self._sampled}")
        # A value is of the time since the sample before it.
        for name, value in values.items():
            if self._sampled is not None:
                self.counters[name].append((self._sampled, time, value))
        self._sampled = time

    def frames(self):
        """The slices of frames."""
        return [frame for frame in self.tracks["Frames and passes"] if not frame.depth]

    def sum(self, counter, frame):
        """What a rate a second adds up to in a frame, of whose time samples end with it."""
        return round(sum(value * (end - begin) / 1e9 for begin, end, value in self.counters[counter]
                         if frame.begin <= begin and end <= frame.end))
