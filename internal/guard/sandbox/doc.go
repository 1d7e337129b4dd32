// Package sandbox runs a program that may be hostile where it can do no harm:
// without network, without other processes, with bounded memory and time, and
// with no files but those given to it.
//
// The program starts itself again with Arg as its only argument, and its main
// function must hand over to Main then. Main restricts its own thread and
// becomes the program that was asked for, so nothing of ours runs in the
// sandbox. On Linux these restrict it, each by itself enough for most attacks:
//
//	close_range   inherited files: all are closed but stdin, stdout and stderr
//	Landlock      files: only those of the Spec; TCP and signals, where the kernel knows these
//	seccomp       system calls: a list of those that programs need; no sockets, no messages to those of
//	              others, no new processes, no signals to others and no limits for them, no modes
//	              and times of files. What is not on the list fails as on an older kernel.
//	namespaces    users, network, processes, IPC: there is nobody else to see
//	rlimits       memory, CPU time, size and number of files, no core dumps
//
// Isolation says which of them a machine can give. Other systems give none, and
// Start fails there.
package sandbox
