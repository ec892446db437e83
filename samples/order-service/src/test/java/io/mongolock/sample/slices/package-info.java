/**
 * Slices with an application of their own, out of sight of the sample: beside its tests
 * they would be taken for it, and below it scanned by it.
 */
package io.mongolock.sample.slices;
