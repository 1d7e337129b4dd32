// Package oracle checks predicates with Google's own parser and analyzer: it must
// accept what we accept, and what we print must mean the same to it. It is a
// module of its own because linking that parser takes 7 GB of memory and several
// minutes. Nothing in the product may import it.
//
// It reads the cases that package predicate writes:
//
//	ORACLE_CASES=/tmp/cases.jsonl ORACLE_COUNT=200000 go test -count=1 -run TestWriteOracleCases ./predicate
//	ORACLE_CASES=/tmp/cases.jsonl go test -C predicate/oracle -count=1 -vet=off -timeout 90m -v ./...
//
// ORACLE_SHOW is a reject kind: it lists the predicates that Google accepts and
// we reject with that kind.
package oracle
