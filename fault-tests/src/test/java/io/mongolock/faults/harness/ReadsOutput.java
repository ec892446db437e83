package io.mongolock.faults.harness;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * Marks tests that read what this JVM prints, of all threads: nothing else runs
 * meanwhile.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Isolated
@ExtendWith(OutputCaptureExtension.class)
public @interface ReadsOutput {

}
