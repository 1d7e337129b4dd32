// Package receipt documents the evidence for a model's answer: which statements
// ran, on which snapshots of which data, and which results contain each figure of
// the answer. A receipt is made only from a conversation's records, so it cannot
// claim more than was done; it does not judge the answer, and runs nothing
// itself.
package receipt
