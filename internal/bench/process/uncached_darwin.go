package process

// Uncached does nothing here.
func Uncached(string) error { return nil }
