package postgres

import (
	"iter"

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
