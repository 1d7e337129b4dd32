package snapshot

// WithStep makes the store tell step each change on disk after it was made, by
// a stable name. It is for tests, which stop the process there.
func WithStep(step func(name string)) Option { return func(s *Store) { s.step = step } }
