// @ts-nocheck
// @vitest-environment jsdom
import { testAdaptersInDom } from '../../support/dom-adapters.js';

testAdaptersInDom();
