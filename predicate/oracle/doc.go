// Package oracle asks Google's own parser and analyzer about predicates: what
// we accept it must accept, and what we print must mean the same to it. It is
// a module of its own because linking that parser takes 7 GB of memory and
// minutes; nothing of the product may import it.
//
// It reads the cases that the package predicate writes:
//
//	ORACLE_CASES=/tmp/cases.jsonl ORACLE_COUNT=200000 go test -count=1 -run TestWriteOracleCases ./predicate
//	ORACLE_CASES=/tmp/cases.jsonl go test -C predicate/oracle -count=1 -vet=off -timeout 90m -v ./...
//
// ORACLE_SHOW names a reject kind: then the predicates that Google accepts and
// we refuse with it are listed.
package oracle
