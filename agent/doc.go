// Package agent lets a model work on a question with the tools of package toolbox
// until it has an answer: a loop with limits, whose every step is on disk before
// the next one.
//
// It trusts nothing that a model says or that data holds. What a model may do is
// what its tools allow, within limits that are counted here; instructions that it
// finds in data can change neither. It knows no protocol of models and no door.
package agent
