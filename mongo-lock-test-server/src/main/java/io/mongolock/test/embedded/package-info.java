/**
 * A MongoDB server in memory that answers the statements of the locks as a real one does.
 */
@NullMarked
package io.mongolock.test.embedded;

import org.jspecify.annotations.NullMarked;
