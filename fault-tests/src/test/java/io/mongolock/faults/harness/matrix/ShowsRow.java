package io.mongolock.faults.harness.matrix;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks a test that shows a row of the fault matrix. Its result goes into the report,
 * with the figures that it adds to its {@link RowFigures} parameter, if it has one.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag("row")
@ExtendWith(FaultMatrixExtension.class)
public @interface ShowsRow {

	// As in fault-rows.txt
	int value();

	Level level();

	// What the row calls for and this test does not show. A row all of whose tests lack
	// something is not counted as shown
	String lacks() default "";

}
