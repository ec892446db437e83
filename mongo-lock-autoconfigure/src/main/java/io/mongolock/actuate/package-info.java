/**
 * What an operator sees and does over the actuator.
 */
@NullMarked
package io.mongolock.actuate;

import org.jspecify.annotations.NullMarked;
