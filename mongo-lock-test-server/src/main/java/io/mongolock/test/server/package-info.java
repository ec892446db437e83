/**
 * The choice of the server that tests run on, and real servers as processes of this
 * machine.
 */
@NullMarked
package io.mongolock.test.server;

import org.jspecify.annotations.NullMarked;
