// Package worker runs the engine in processes of their own, which may be killed
// at any moment without harm to the process that asked: a Pool runs one
// statement in each, Calls one call of a tool after the other.
// The engine's planner heeds no interrupt, and its functions take memory that
// its own limit does not see: only the operating system can bound those.
//
// The program starts itself again, with Arg as its only argument, and its main
// function must hand over to Main then. The two ends talk like this:
//
//	stdin    the Job as JSON; it stays open, and its end kills the worker, so
//	         that none outlives the process that asked
//	stdout   the rows, as package wire frames them
//	report   a pipe whose number is in the Job: one report as JSON, if the job fails
//	stderr   what a crash prints; its beginning tells memory from other faults
//
// A worker inherits no environment, and of open files those of the Job alone. It
// proves nothing about its statements: they have been proven before.
//
// A process that serves calls is the program itself, with the user's arguments
// and environment behind CallsArg. Requests come on stdin and answers go to
// stdout, a line of JSON each. It ends with its stdin, too.
//
// On Linux the memory of a worker has a hard limit, and the kernel is asked to
// end workers first when the machine has none left. Other systems bound only
// what the engine counts itself, and the time.
package worker
