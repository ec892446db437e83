package io.mongolock.store.mongo;

/**
 * The answer of a server to a heartbeat.
 *
 * @param server its address
 * @param writable whether it takes writes
 * @param offset the server's clock minus this machine's clock when the answer was read,
 * in milliseconds; too low by the time that the answer took
 * @param roundTrip the time from the question to the answer, in milliseconds
 */
record Heartbeat(String server, boolean writable, long offset, long roundTrip) {

}
