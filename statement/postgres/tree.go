package postgres

import (
	"iter"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// set iterates over the fields of a node that are set, in their declared order.
func set(m protoreflect.Message) iter.Seq2[protoreflect.FieldDescriptor, protoreflect.Value] {
	return func(yield func(protoreflect.FieldDescriptor, protoreflect.Value) bool) {
		fields := m.Descriptor().Fields()
		for i := range fields.Len() {
			if f := fields.Get(i); m.Has(f) && !yield(f, m.Get(f)) {
				return
			}
		}
	}
}

// children iterates over the direct children of a node.
func children(m protoreflect.Message) iter.Seq[protoreflect.Message] {
	return func(yield func(protoreflect.Message) bool) {
		for f, v := range set(m) {
			switch {
			case f.Kind() != protoreflect.MessageKind:
			case f.IsList():
				for i := range v.List().Len() {
					if !yield(v.List().Get(i).Message()) {
						return
					}
				}
			default:
				if !yield(v.Message()) {
					return
				}
			}
		}
	}
}

// shape is the same for two nodes that differ only in where they are written.
func shape(m protoreflect.Message) string {
	c := proto.Clone(m.Interface())
	clearLocations(c.ProtoReflect())
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(c)
	if err != nil {
		panic(err) // it was unmarshaled from a message of its type
	}
	return string(b)
}

// clearLocations removes the positions in the text from a node and all below it.
func clearLocations(m protoreflect.Message) {
	for f := range set(m) {
		if strings.HasSuffix(string(f.Name()), "location") {
			m.Clear(f)
		}
	}
	for child := range children(m) {
		clearLocations(child)
	}
}
