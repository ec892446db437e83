/**
 * The store of the simulation, beside the model of a lock that it is made of.
 */
@NullMarked
package io.mongolock.test;

import org.jspecify.annotations.NullMarked;
