package io.mongolock.store.mongo;

/**
 * The answer of a server to a heartbeat.
 *
 * @param server its address
 * @param writable whether it takes writes
 * @param offset its clock minus this machine's clock when the answer was read, in
 * milliseconds: less than in truth by the time that the answer took
 * @param roundTrip the time that a question and its answer took, in milliseconds
 */
record Heartbeat(String server, boolean writable, long offset, long roundTrip) {

}
