/**
 * The simulation of the client, beside the core that it drives.
 */
@NullMarked
package io.mongolock.client;

import org.jspecify.annotations.NullMarked;
