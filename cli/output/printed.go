package output

// Printed lists what each command prints with --json, by its path such as "da
// snapshot list". Schemas are generated from it.
type Printed map[string][]Form

// Form is one possible output of a command.
type Form struct {
	// When says in which case this form is printed; empty: always.
	When string
	// Value has the type that is encoded as JSON.
	Value any
}
