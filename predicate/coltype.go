package predicate

// Kind is the family of a type.
type Kind uint8

// The kinds. A value of KindUnknown can only be selected, tested for NULL, and
// cast to text.
const (
	KindUnknown Kind = iota
	KindNull         // the type of a bare NULL
	KindBool
	KindInt
	KindFloat
	KindDecimal
	KindString
	KindBytes
	KindDate
	KindTime      // time of day, no zone
	KindDateTime  // date and time, no zone
	KindTimestamp // an instant
	KindInterval
	KindJSON
	KindUUID
	KindList
	KindStruct
	KindMap
)

// Type is the type of a column or an expression.
//
// Small fields stand together: types are part of each expression, so their size is
// a considerable part of the work.
type Type struct {
	Kind     Kind
	Unsigned bool // of KindInt
	// Padded marks blank-padded strings, whose trailing blanks don't count.
	Padded bool
	Bits   int // width of KindInt and KindFloat; 0 means the widest
	// Precision and Scale are those of KindDecimal; Precision 0 means unknown.
	Precision, Scale int
	Elem             *Type   // of KindList, and the values of KindMap
	Key              *Type   // of KindMap
	Fields           []Field // of KindStruct
	// Name is the engine's own name of a column's type, for messages.
	Name string
}

// Field is a field of a struct.
type Field struct {
	Name string
	Type Type
}
