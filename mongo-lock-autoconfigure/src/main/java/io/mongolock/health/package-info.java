/**
 * The health of the locks: whether you can rely on them now. {@link LockHealthIndicator}
 * answers. {@link LockTrouble} remembers recent troubles. {@link WriteProof} remembers
 * when a majority last confirmed a write, and says whether the check must ask.
 */
@NullMarked
package io.mongolock.health;

import org.jspecify.annotations.NullMarked;
