package output

// Printed says for each command, by its path such as "da snapshot list", what it
// prints with --json. Schemas are made of it.
type Printed map[string][]Form

// Form is one form of what a command prints.
type Form struct {
	// When says in which case it prints this form; empty: always.
	When string
	// Value is of the type whose JSON it is.
	Value any
}
