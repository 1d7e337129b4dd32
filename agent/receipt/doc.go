// Package receipt says what an answer of a model rests on: which statements ran,
// over which snapshots of which data, and in which results each figure of the
// answer occurs. A receipt is made of a conversation's records alone, so that it
// cannot say more than was done; it judges no answer, and runs nothing itself.
package receipt
