/**
 * Everything that decides and nothing that runs: no thread, clock, driver or Spring.
 * State machines are fed events and answer what to do next.
 */
@NullMarked
package io.mongolock.core;

import org.jspecify.annotations.NullMarked;
