// Package overlap lets reading, writing and what happens between them run at the
// same time: a Reader reads ahead and a Writer writes behind, each in a goroutine
// of its own that ends with Close. It knows nothing of what the bytes mean.
package overlap
