#pragma once

namespace detent::cli {

/// From now on SIGINT, SIGTERM and SIGHUP set interrupted(), which work looks at between two steps; a thread of this object's own ends the
/// process with code 130 and without half files (core/files/unfinished.h) where it does not end by itself within a second, as in a
/// product of hours, and with a second signal. A write beyond the limit of a file's size fails
/// instead of ending the process, and a mapped file that becomes shorter ends it with a message. Called once.
void watch_signals();

/// The caller is about to say that the process was interrupted, and to end it. Does not return where the thread above does so already:
/// it is said once.
void claim_interruption();

/// The command keeps what it has computed when it is interrupted: it is given the time that the running step takes. A second signal
/// ends it at once all the same.
void keep_work_when_interrupted();

}  // namespace detent::cli
